/// One filter of a chain with its arguments.
struct FilterStep: Hashable, Sendable {
  /// The canonical name of a definition that works on frames.
  let name: String
  let arguments: FilterArguments

  /// `name:key=value…`, every parameter that has a value, in the table's order.
  var identifier: String {
    var text = name
    for entry in arguments.values { text += ":\(entry.key)=\(entry.value.identifier)" }
    return text
  }
}
