import ImageBatch
import ImageFilters

extension OutputReader {
  /// The output's `markup`, each key from the innermost layer that has it; nil, with an error in the log, if one is
  /// wrong.
  func markup(log: inout DiagnosticLog) -> Markup? {
    var isRight = true
    let values = substitution.variables.merging(substitution.matrix) { $1 }
    func node(_ key: String) -> ManifestNode? {
      [layers.output, layers.job, layers.defaults].lazy.compactMap { $0?["markup"]?[key] }.first
    }
    func text(_ key: String, log: inout DiagnosticLog) -> String? {
      guard let node = node(key), let text = node.scalar else { return nil }
      do {
        return try substitution.applied(to: text)
      } catch {
        isRight = false
        log.error(node.place(ofOffset: error.offset), error.message)
        return nil
      }
    }
    var markup = Markup()
    // A column or variable `alt` works without the key.
    markup.alt = text("alt", log: &log) ?? values["alt"] ?? ""
    markup.sizes = text("sizes", log: &log)
    markup.loading = text("loading", log: &log).flatMap { Markup.Loading(rawValue: $0) }
    markup.placeholder =
      text("placeholder", log: &log).flatMap { Markup.Placeholder(rawValue: $0) } ?? .none
    if let node = node("url-prefix"), let prefix = text("url-prefix", log: &log) {
      let isURL = prefix.unicodeScalars.allSatisfy {
        $0.value > 0x20 && $0.value != 0x7F && !"\"<>\\^`{|}".unicodeScalars.contains($0)
      }
      if isURL {
        markup.urlPrefix = prefix
      } else {
        isRight = false
        log.error(
          node.place,
          "'url-prefix' must be the beginning of a URL, such as 'https://cdn.example.com/', without spaces")
      }
    }
    if let node = node("template"), let text = node.scalar {
      do {
        markup.template = try MarkupTemplate(parsing: text, variables: values)
      } catch {
        isRight = false
        let known = MarkupTemplate.Field.allCases.map(\.rawValue) + values.keys.sorted()
        let hint = error.unknown.map { NearestName.hint($0, in: known) } ?? ""
        log.error(node.place(ofOffset: error.offset), error.message + hint)
      }
    }
    return isRight ? markup : nil
  }
}
