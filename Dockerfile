# A static binary and the certificates of the public authorities, and nothing else.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=""
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.released=${VERSION}" -o /restest ./cmd/restest

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /restest /restest
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/restest"]
