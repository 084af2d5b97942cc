/// The layers of an output's settings: the manifest's defaults, the job, and the output itself.
struct OutputLayers {
  var defaults: ManifestNode?
  var job: ManifestNode
  var output: ManifestNode?

  init(defaults: ManifestNode?, job: ManifestNode) {
    self.defaults = defaults
    self.job = job
  }

  func with(output: ManifestNode) -> OutputLayers {
    var result = self
    result.output = output
    return result
  }

  /// The value of a key in the output or its job.
  func own(_ key: String) -> ManifestNode? { output?[key] ?? job[key] }

  /// The value of a key in the innermost layer that has it.
  subscript(key: String) -> ManifestNode? { own(key) ?? defaults?[key] }
}
