import ImageBatch
import ImageDownloads
import ImageFilters

/// One output of every row's job, with what of it is the same for all rows.
struct RowOutput: Sendable {
  let layers: OutputLayers
  let matrix: [String: String]
  let place: TextPlace
  var fixed: OutputReader.FixedParts

  /// The output of a row's job; nil where something is wrong, which is then in the log.
  func output(
    _ context: JobContext, _ values: FieldSubstitution, placeholder: ImageSource?, log: inout DiagnosticLog
  ) -> Output? {
    var substitution = values
    substitution.matrix = matrix
    var reader = OutputReader(
      context: context, layers: layers, substitution: substitution, placeholder: placeholder)
    reader.fixed = fixed
    return reader.output(at: place, log: &log)
  }
}
