/// Where an output's settings may be said: in the manifest's defaults, at its job, and at itself.
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

  /// What the output or its job says about a key.
  func own(_ key: String) -> ManifestNode? { output?[key] ?? job[key] }

  /// What the nearest of all says about a key.
  subscript(key: String) -> ManifestNode? { own(key) ?? defaults?[key] }
}
