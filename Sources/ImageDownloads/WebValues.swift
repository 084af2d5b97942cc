// Header fields and addresses are in a module of their own because Curl, which is no product, needs them too. Whoever
// imports ImageDownloads has them.
@_exported public import WebValues
