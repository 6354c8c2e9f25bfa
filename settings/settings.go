// Package settings holds what a run is given: every setting with its default and meaning, and the four places
// one can be given in.
package settings

import (
	"strings"
	"time"
)

// Settings are the values a run goes by. The yaml names are the settings' own, in groups.
type Settings struct {
	Engine     Engine     `yaml:"engine"`
	Schedule   Schedule   `yaml:"schedule"`
	Generation Generation `yaml:"generation"`
	Mutation   Mutation   `yaml:"mutation"`
	Memory     Memory     `yaml:"memory"`
	Series     Series     `yaml:"series"`
	Security   Security   `yaml:"security"`
	Checks     Checks     `yaml:"checks"`
	Report     Report     `yaml:"report"`
}

// Engine says how requests leave and replies come back.
type Engine struct {
	ConnectTimeout time.Duration `yaml:"connectTimeout"` // 10s
	ReadTimeout    time.Duration `yaml:"readTimeout"`    // 30s: longest silence while a reply is awaited or comes
	WriteTimeout   time.Duration `yaml:"writeTimeout"`   // 10s
	// CallTimeout is for the whole call; worked out when one of the waits inside it is named: twice the longest of the three.
	CallTimeout              time.Duration `yaml:"callTimeout"` // 1m
	MinConcurrency           int           `yaml:"minConcurrency"`
	InitialConcurrency       int           `yaml:"initialConcurrency"`
	MaxConcurrency           int           `yaml:"maxConcurrency"`
	LimitTheRate             bool          `yaml:"limitTheRate"`
	MostRequestsPerMinute    int64         `yaml:"mostRequestsPerMinute"`
	MostRequestsPerHour      int64         `yaml:"mostRequestsPerHour"` // 0: none
	MostRequestsPerMinuteFor string        `yaml:"mostRequestsPerMinuteFor"`
	MaxRetainedResponseBytes int64         `yaml:"maxRetainedResponseBytes"`
	FollowRedirects          bool          `yaml:"followRedirects"`
	VerifyCertificates       bool          `yaml:"verifyCertificates"`
	UserAgent                string        `yaml:"userAgent"`
	Proxy                    string        `yaml:"proxy"`
}

// Schedule says what is sent next, and when nothing is.
type Schedule struct {
	WaitWhenToldTo     bool          `yaml:"waitWhenToldTo"`
	FirstGuessedWait   time.Duration `yaml:"firstGuessedWait"`
	LongestGuessedWait time.Duration `yaml:"longestGuessedWait"`
	StayInsideQuota    bool          `yaml:"stayInsideQuota"`
	OpeningLap         bool          `yaml:"openingLap"`
	OpeningLapPatience time.Duration `yaml:"openingLapPatience"`
	Learn              bool          `yaml:"learn"`
	CleanUp            bool          `yaml:"cleanUp"`
	CleanUpShare       float64       `yaml:"cleanUpShare"`
	MostCovering       int           `yaml:"mostCovering"`
	RecheckShare       float64       `yaml:"recheckShare"`
	StragglerGrace     time.Duration `yaml:"stragglerGrace"`
	InterruptGrace     time.Duration `yaml:"interruptGrace"`
}

// Generation says how values are made. Weights are shares against one another, chances are between 0 and 1.
type Generation struct {
	OptionalParameterChance float64 `yaml:"optionalParameterChance"`
	OptionalPropertyChance  float64 `yaml:"optionalPropertyChance"`
	OptionalBodyChance      float64 `yaml:"optionalBodyChance"`
	ExampleWeight           int     `yaml:"exampleWeight"`
	DefaultWeight           int     `yaml:"defaultWeight"`
	ObservedWeight          int     `yaml:"observedWeight"`
	RandomWeight            int     `yaml:"randomWeight"`
	ImpliedKindChance       float64 `yaml:"impliedKindChance"`
	DictionaryWeight        int     `yaml:"dictionaryWeight"`
	HintChance              float64 `yaml:"hintChance"`
	MostDepth               int     `yaml:"mostDepth"`
	LongestText             int     `yaml:"longestText"`
	MostItems               int     `yaml:"mostItems"`
	SignUp                  bool    `yaml:"signUp"`
}

// Mutation switches the ways in which accepted requests are changed so that they break a rule of the document.
type Mutation struct {
	Violations         bool `yaml:"violations"`
	DropRequired       bool `yaml:"dropRequired"`
	WrongLocation      bool `yaml:"wrongLocation"`
	WrongType          bool `yaml:"wrongType"`
	OutsideABound      bool `yaml:"outsideABound"`
	BreakAnEnumeration bool `yaml:"breakAnEnumeration"`
	BreakAPattern      bool `yaml:"breakAPattern"`
	BreakAFormat       bool `yaml:"breakAFormat"`
	SendNull           bool `yaml:"sendNull"`
	SendEmpty          bool `yaml:"sendEmpty"`
	Oversize           bool `yaml:"oversize"`
	WrongRoot          bool `yaml:"wrongRoot"`
	EmptyBody          bool `yaml:"emptyBody"`
	NotJSON            bool `yaml:"notJson"`
	WrongContentType   bool `yaml:"wrongContentType"`
	BeyondItsWidth     bool `yaml:"beyondItsWidth"`
}

// Memory says what is kept of what the API returned.
type Memory struct {
	LearnFromReplies bool  `yaml:"learnFromReplies"`
	ValuesPerName    int   `yaml:"valuesPerName"`
	MostNames        int   `yaml:"mostNames"`
	ReadUpTo         int64 `yaml:"readUpTo"`
	MostDepth        int   `yaml:"mostDepth"`
}

// Series says which series around a created thing are made, and how many requests belong to them.
type Series struct {
	Share             float64 `yaml:"share"`
	ReadAfterCreate   bool    `yaml:"readAfterCreate"`
	ReadAfterDelete   bool    `yaml:"readAfterDelete"`
	DeleteTwice       bool    `yaml:"deleteTwice"`
	WriteUnderDeleted bool    `yaml:"writeUnderDeleted"`
	PutTwice          bool    `yaml:"putTwice"`
	RefusedWrite      bool    `yaml:"refusedWrite"`
	PatchThenRead     bool    `yaml:"patchThenRead"`
	ListContains      bool    `yaml:"listContains"`
	SafeGet           bool    `yaml:"safeGet"`
	CreateTwice       bool    `yaml:"createTwice"`
}

// Security says whether security probes are sent, how many of the requests belong to them, and which (decision 0025).
type Security struct {
	Probes           bool    `yaml:"probes"`
	Share            float64 `yaml:"share"`
	Anonymous        bool    `yaml:"anonymous"`
	WrongCredentials bool    `yaml:"wrongCredentials"`
	OtherUser        bool    `yaml:"otherUser"`
	MassAssignment   bool    `yaml:"massAssignment"`
	HiddenMethod     bool    `yaml:"hiddenMethod"`
	Injection        bool    `yaml:"injection"`
}

// Checks switches the checks.
type Checks struct {
	InternalServerError           bool `yaml:"internalServerError"`
	OtherServerError              bool `yaml:"otherServerError"`
	NotImplemented                bool `yaml:"notImplemented"`
	NonStandardStatusCode         bool `yaml:"nonStandardStatusCode"`
	ResponseSchema                bool `yaml:"responseSchema"`
	NoReplyInTime                 bool `yaml:"noReplyInTime"`
	UndeclaredStatusCode          bool `yaml:"undeclaredStatusCode"`
	UndeclaredContentType         bool `yaml:"undeclaredContentType"`
	BrokenReply                   bool `yaml:"brokenReply"`
	CreatedToDelete               bool `yaml:"createdToDelete"`
	CreatedToGet                  bool `yaml:"createdToGet"`
	CreatedToPatch                bool `yaml:"createdToPatch"`
	NoContentWithContent          bool `yaml:"noContentWithContent"`
	TooLargeWithoutContent        bool `yaml:"tooLargeWithoutContent"`
	UnsupportedWithoutContent     bool `yaml:"unsupportedWithoutContent"`
	NotModifiedUnasked            bool `yaml:"notModifiedUnasked"`
	UnauthorizedWithoutChallenge  bool `yaml:"unauthorizedWithoutChallenge"`
	NotAllowedWithoutAllow        bool `yaml:"notAllowedWithoutAllow"`
	ResetContentWithContent       bool `yaml:"resetContentWithContent"`
	UpgradeRequiredWithoutUpgrade bool `yaml:"upgradeRequiredWithoutUpgrade"`
	StillThereAfterDelete         bool `yaml:"stillThereAfterDelete"`
	ChangedByRefusedWrite         bool `yaml:"changedByRefusedWrite"`
	RepeatedPutCreates            bool `yaml:"repeatedPutCreates"`
	PutCreatesExisting            bool `yaml:"putCreatesExisting"`
	PartialPut                    bool `yaml:"partialPut"`
	PutNotIdempotent              bool `yaml:"putNotIdempotent"`
	InvalidMergePatch             bool `yaml:"invalidMergePatch"`
	InvalidLocation               bool `yaml:"invalidLocation"`
	CreatedNotFound               bool `yaml:"createdNotFound"`
	InvalidAllow                  bool `yaml:"invalidAllow"`
	UnauthorizedUnsecured         bool `yaml:"unauthorizedUnsecured"`
	ForbiddenWithoutUnauthorized  bool `yaml:"forbiddenWithoutUnauthorized"`
	NotAcceptableThoughDeclared   bool `yaml:"notAcceptableThoughDeclared"`
	InvalidAccepted               bool `yaml:"invalidAccepted"`
	ValidRejected                 bool `yaml:"validRejected"`
	SQLError                      bool `yaml:"sqlError"`
	ReflectedScript               bool `yaml:"reflectedScript"`
	MassAssignment                bool `yaml:"massAssignment"`
	ExistenceLeaked               bool `yaml:"existenceLeaked"`
	NotRecognized                 bool `yaml:"notRecognized"`
	InconsistentAuthorization     bool `yaml:"inconsistentAuthorization"`
	IgnoredAnonymous              bool `yaml:"ignoredAnonymous"`
	AnonymousModification         bool `yaml:"anonymousModification"`
	StackTrace                    bool `yaml:"stackTrace"`
	HiddenAccessible              bool `yaml:"hiddenAccessible"`
	AuthNotEnforced               bool `yaml:"authNotEnforced"`
	ResponseHeader                bool `yaml:"responseHeader"`
	OffSpecWait                   bool `yaml:"offSpecWait"`
	CreatedNotListed              bool `yaml:"createdNotListed"`
	UnsafeGet                     bool `yaml:"unsafeGet"`
	// SlowReply is how long a reply may take; 0: any time.
	SlowReply      time.Duration `yaml:"slowReply"`
	FailOnWarnings bool          `yaml:"failOnWarnings"`
}

// Formats are what report.formats can name.
var Formats = []string{"html", "junit", "sarif", "har", "wfc", "markdown"}

// FormatsIn are the names that a value of report.formats lists.
func FormatsIn(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// Report says what is written.
type Report struct {
	Recording bool `yaml:"recording"`
	// Formats names what the report is written as besides report.json, with commas between.
	Formats         string        `yaml:"formats"`
	LiveEvery       time.Duration `yaml:"liveEvery"`
	PlainEvery      time.Duration `yaml:"plainEvery"`
	MostFindings    int           `yaml:"mostFindings"`
	LongestBodyKept int64         `yaml:"longestBodyKept"`
}

// Default are the settings of a run that is given none.
func Default() Settings {
	return Settings{
		Engine: Engine{
			ConnectTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 10 * time.Second,
			CallTimeout:    time.Minute,
			MinConcurrency: 1, InitialConcurrency: 4, MaxConcurrency: 16,
			MostRequestsPerMinute:    600,
			MaxRetainedResponseBytes: 1 << 20,
			VerifyCertificates:       true,
			UserAgent:                "RESTest/3.0",
		},
		Schedule: Schedule{
			WaitWhenToldTo: true, FirstGuessedWait: time.Second, LongestGuessedWait: time.Minute,
			StayInsideQuota: true,
			OpeningLap:      true, OpeningLapPatience: 2 * time.Second,
			Learn: true, CleanUp: true, CleanUpShare: 0.1, MostCovering: 300, RecheckShare: 0.1,
			StragglerGrace: 10 * time.Second, InterruptGrace: 2 * time.Second,
		},
		Generation: Generation{
			OptionalParameterChance: 0.3, OptionalPropertyChance: 0.8, OptionalBodyChance: 0.9,
			ExampleWeight: 15, DefaultWeight: 5, ObservedWeight: 20, RandomWeight: 20, DictionaryWeight: 40,
			ImpliedKindChance: 0.5, HintChance: 0.7,
			MostDepth: 8, LongestText: 64, MostItems: 4,
			SignUp: true,
		},
		Mutation: Mutation{
			Violations:         true,
			DropRequired:       true,
			WrongLocation:      true,
			WrongType:          true,
			OutsideABound:      true,
			BreakAnEnumeration: true,
			BreakAPattern:      true,
			BreakAFormat:       true,
			SendNull:           true,
			SendEmpty:          true,
			Oversize:           true,
			WrongRoot:          true,
			EmptyBody:          true,
			NotJSON:            true,
			WrongContentType:   true,
			BeyondItsWidth:     true,
		},
		Memory: Memory{
			LearnFromReplies: true, ValuesPerName: 20, MostNames: 2000, ReadUpTo: 512 << 10, MostDepth: 6,
		},
		Series: Series{
			Share: 0.1, ReadAfterCreate: true, ReadAfterDelete: true, DeleteTwice: true, WriteUnderDeleted: true,
			PutTwice: true, RefusedWrite: true, PatchThenRead: true, ListContains: true, SafeGet: true, CreateTwice: true,
		},
		Security: Security{
			Share: 0.1, Anonymous: true, WrongCredentials: true, OtherUser: true, MassAssignment: true, HiddenMethod: true, Injection: true,
		},
		Checks: Checks{
			InternalServerError: true, OtherServerError: true, NotImplemented: true, NonStandardStatusCode: true,
			ResponseSchema: true, NoReplyInTime: true, UndeclaredStatusCode: true, UndeclaredContentType: true,
			BrokenReply:                   true,
			CreatedToDelete:               true,
			CreatedToGet:                  true,
			CreatedToPatch:                true,
			NoContentWithContent:          true,
			TooLargeWithoutContent:        true,
			UnsupportedWithoutContent:     true,
			NotModifiedUnasked:            true,
			UnauthorizedWithoutChallenge:  true,
			NotAllowedWithoutAllow:        true,
			ResetContentWithContent:       true,
			UpgradeRequiredWithoutUpgrade: true,
			StillThereAfterDelete:         true,
			ChangedByRefusedWrite:         true,
			RepeatedPutCreates:            true,
			PutCreatesExisting:            true,
			PartialPut:                    true,
			PutNotIdempotent:              true,
			InvalidMergePatch:             true,
			InvalidLocation:               true,
			CreatedNotFound:               true,
			InvalidAllow:                  true,
			UnauthorizedUnsecured:         true,
			ForbiddenWithoutUnauthorized:  true,
			NotAcceptableThoughDeclared:   true,
			InvalidAccepted:               true,
			ValidRejected:                 true,
			SQLError:                      true,
			ReflectedScript:               true,
			MassAssignment:                true,
			ExistenceLeaked:               true,
			NotRecognized:                 true,
			InconsistentAuthorization:     true,
			IgnoredAnonymous:              true,
			AnonymousModification:         true,
			StackTrace:                    true,
			HiddenAccessible:              true,
			AuthNotEnforced:               true,
			ResponseHeader:                true,
			OffSpecWait:                   true,
			CreatedNotListed:              true,
			UnsafeGet:                     true,
		},
		Report: Report{
			Recording: true, Formats: "html", LiveEvery: 200 * time.Millisecond, PlainEvery: 5 * time.Second,
			MostFindings: 1000, LongestBodyKept: 24 << 10,
		},
	}
}
