package demo

// answers are the methods that answer the operations, by operationId.
var answers = map[string]func(*API, *call) Reply{
	"listBooks":   (*API).listBooks,
	"addBook":     (*API).addBook,
	"readBook":    (*API).readBook,
	"peekBook":    (*API).readBook,
	"replaceBook": (*API).replaceBook,
	"changeBook":  (*API).changeBook,
	"deleteBook":  (*API).deleteBook,
	"readExcerpt": (*API).readExcerpt,
	"readCover":   (*API).readCover,
	"readStock":   (*API).readStock,
	"searchBooks": (*API).searchBooks,

	"listReviews":   (*API).listReviews,
	"addReview":     (*API).addReview,
	"readReview":    (*API).readReview,
	"deleteReview":  (*API).deleteReview,
	"latestReviews": (*API).latestReviews,

	"signUp":       (*API).signUp,
	"readMember":   (*API).readMember,
	"closeAccount": (*API).closeAccount,
	"signIn":       (*API).signIn,
	"signOut":      (*API).signOut,

	"listOrders":  (*API).listOrders,
	"placeOrder":  (*API).placeOrder,
	"readOrder":   (*API).readOrder,
	"cancelOrder": (*API).cancelOrder,
	"payOrder":    (*API).payOrder,
	"readInvoice": (*API).readInvoice,
	"readBasket":  (*API).readBasket,

	"exportCatalogue": (*API).exportCatalogue,
	"readStatistics":  (*API).readStatistics,
	"recommend":       (*API).recommend,
	"findOffers":      (*API).findOffers,
	"openingHours":    (*API).openingHours,
	"oldOpeningHours": (*API).oldOpeningHours,
	"notify":          (*API).notify,
	"contactShop":     (*API).contactShop,
	"salesReport":     (*API).salesReport,
}
