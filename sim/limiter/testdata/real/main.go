// Command limiters serves one route behind each of the limiters that Go programs use: ten requests in two seconds, and
// everybody's budget.
//
// It is a module of its own, so that none of them is a dependency of the product.
package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/didip/tollbooth/v7"
	"github.com/go-chi/httprate"
	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/adaptor"
	fiberlimiter "github.com/gofiber/fiber/v3/middleware/limiter"
	"github.com/labstack/echo/v4"
	echomiddleware "github.com/labstack/echo/v4/middleware"
	"github.com/sethvargo/go-limiter/httplimit"
	"github.com/sethvargo/go-limiter/memorystore"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
	ulule "github.com/ulule/limiter/v3"
	ululehttp "github.com/ulule/limiter/v3/drivers/middleware/stdlib"
	ululestore "github.com/ulule/limiter/v3/drivers/store/memory"
	"golang.org/x/time/rate"
)

const (
	limit  = 10
	window = 2 * time.Second
	// perSecond is how many a second that is.
	perSecond = 5
	key       = "everybody"
)

func main() {
	mux := http.NewServeMux()
	passed := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "passed") })
	mux.Handle("/unlimited", passed)
	mux.Handle("/httprate", httprate.Limit(limit, window, httprate.WithKeyFuncs(oneKey))(passed))
	mux.Handle("/ulule", ululehttp.NewMiddleware(
		ulule.New(ululestore.NewStore(), ulule.Rate{Period: window, Limit: limit}),
		ululehttp.WithKeyGetter(func(*http.Request) string { return key }),
	).Handler(passed))
	mux.Handle("/throttled", throttledBy(passed))
	mux.Handle("/go-limiter", goLimiter(passed))
	tollboothLimiter := tollbooth.NewLimiter(perSecond, nil).SetBurst(limit)
	mux.Handle("/tollbooth", tollbooth.LimitHandler(tollboothLimiter, passed))
	mux.Handle("/fiber-fixed", fiberLimited(fiberlimiter.FixedWindow{}))
	mux.Handle("/fiber-sliding", fiberLimited(fiberlimiter.SlidingWindow{}))
	allow := rate.NewLimiter(perSecond, limit)
	mux.HandleFunc("/x-time-rate", func(w http.ResponseWriter, r *http.Request) {
		if !allow.Allow() {
			http.Error(w, http.StatusText(http.StatusTooManyRequests), http.StatusTooManyRequests)
			return
		}
		passed(w, r)
	})
	mux.Handle("/echo", echoLimited())
	log.Fatal(http.ListenAndServe(os.Args[1], mux))
}

func oneKey(*http.Request) (string, error) { return key, nil }

func throttledBy(next http.Handler) http.Handler {
	store, err := memstore.NewCtx(100)
	check(err)
	l, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{MaxRate: throttled.PerSec(perSecond), MaxBurst: limit - 1})
	check(err)
	h := throttled.HTTPRateLimiterCtx{RateLimiter: l, VaryBy: &throttled.VaryBy{Custom: func(*http.Request) string { return key }}}
	return h.RateLimit(next)
}

func goLimiter(next http.Handler) http.Handler {
	store, err := memorystore.New(&memorystore.Config{Tokens: limit, Interval: window})
	check(err)
	m, err := httplimit.NewMiddleware(store, oneKey)
	check(err)
	return m.Handle(next)
}

func fiberLimited(algorithm fiberlimiter.Handler) http.Handler {
	app := fiber.New()
	app.Use(fiberlimiter.New(fiberlimiter.Config{
		Max: limit, Expiration: window, LimiterMiddleware: algorithm, KeyGenerator: func(fiber.Ctx) string { return key },
	}))
	app.Get("/*", func(c fiber.Ctx) error { return c.SendString("passed") })
	return adaptor.FiberApp(app)
}

func echoLimited() http.Handler {
	e := echo.New()
	store := echomiddleware.NewRateLimiterMemoryStoreWithConfig(echomiddleware.RateLimiterMemoryStoreConfig{
		Rate: perSecond, Burst: limit, ExpiresIn: time.Minute,
	})
	e.Use(echomiddleware.RateLimiterWithConfig(echomiddleware.RateLimiterConfig{
		Store: store, IdentifierExtractor: func(echo.Context) (string, error) { return key, nil },
	}))
	e.GET("/*", func(c echo.Context) error { return c.String(http.StatusOK, "passed") })
	return e
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
