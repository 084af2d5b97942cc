/// Outputs in the format of their source.
extension Rendering {
  /// Replaces `format: same` by the source's format, if that can be written.
  func followFormat(of file: SourceFile) {
    for index in request.recipes.indices where request.recipes[index].encoding.followsSource {
      guard let encoding = request.recipes[index].encoding.following(file.format) else { continue }
      request.recipes[index].encoding = encoding
      following.insert(index)
    }
  }

  /// Checks a format that is only known from the source. Others were checked before the request was made.
  func checkFormat(of index: Int, _ file: SourceFile) throws(RenderError) {
    let recipe = request.recipes[index]
    guard !recipe.encoding.followsSource else {
      throw RenderError(
        code: .unsupportedFormat, stage: .encode,
        message:
          "the source is \(file.format.rawValue), which can't be written; name a format instead of 'same'")
    }
    guard following.contains(index) else { return }
    do throws(EncodingSettingsError) {
      try recipe.encoding.check(recipe.chain)
    } catch {
      throw RenderError(code: .unsupportedFormat, stage: .encode, message: error.message)
    }
  }
}
