// Whoever imports Curl has the header fields and addresses of its signatures.
@_exported public import WebValues
