import ImageBatch
import ImageDownloads
import ImageFilters

/// An output of every row's job, with the parts that are the same for all rows.
struct RowOutput: Sendable {
  let layers: OutputLayers
  let matrix: [String: String]
  let place: TextPlace
  var fixed: OutputReader.FixedParts

  /// The output of a row's job; nil, with an error in the log, if something is wrong.
  func output(
    _ context: JobContext, _ values: FieldSubstitution, placeholder: ImageSource?, log: inout DiagnosticLog
  ) -> JobOutput? {
    var substitution = values
    substitution.matrix = matrix
    var reader = OutputReader(
      context: context, layers: layers, substitution: substitution, placeholder: placeholder)
    reader.fixed = fixed
    return reader.output(at: place, log: &log)
  }
}
