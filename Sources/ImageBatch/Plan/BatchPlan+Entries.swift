/// Entries as the planner makes them.
extension BatchPlan.Entry {
  /// The entry as the last node of its graph.
  func node(isDone: Bool) -> (key: StepKey, node: PlanGraph.Node) {
    let name = path ?? "output of job \(index)"
    return (
      .write(job: index, path: name),
      PlanGraph.Node(kind: .write, label: "\(name)\n\(action.rawValue)", isDone: isDone)
    )
  }

  /// An entry that is rendered, unless the planner finds out otherwise.
  init(job: Job, position: Int, output: JobOutput) {
    self.init(
      index: job.index, source: job.displaySource, path: nil, action: .render, reason: "",
      filter: output.chain.displayIdentifier, format: output.encoding.formatText, content: nil, key: nil,
      recipe: nil,
      location: output.location ?? job.location)
    path = output.knownPath(of: job).map { path in
      let directory = OutputDirectory(root: job.outputDirectory ?? ".", allowsOutside: true)
      // A path that names no file is refused at its place.
      return (try? directory.location(of: path, isObject: output.template.isObject)) ?? path
    }
    self.position = position
  }

  /// An entry with what is known of a planned output: its path, its key and its format.
  init(_ planned: PlannedOutput) {
    self.init(job: planned.job, position: planned.position, output: planned.output)
    path = planned.location ?? planned.path ?? path
    key = planned.key
    recipe = planned.recipe
    if let format = planned.values.format { self.format = format.rawValue }
  }
}
