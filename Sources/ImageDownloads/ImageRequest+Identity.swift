public import ImageCaches

extension ImageRequest: ImageRequestIdentity {
  /// What caches of images in memory know the request by: its source. Headers don't count, as in AlamofireImage; who
  /// sends different ones to one URL gives each an identifier.
  public var absoluteURL: String {
    switch source {
    case .url(let text), .data(let text): text
    case .file(let path): "file:\(path)"
    case .standardInput: "-"
    }
  }
}
