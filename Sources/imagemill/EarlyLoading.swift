import ArgumentParser
import ImageRendering

/// A command whose images or keys need the engine.
protocol UsesEngine: ParsableCommand {
  /// How far this process needs it, as the words of the command line suggest. A wrong guess costs time alone.
  static func engine(for words: [String]) -> RenderEngine.Extent
}

extension UsesEngine {
  static func engine(for words: [String]) -> RenderEngine.Extent { .libraries }
}

extension RunCommand: UsesEngine {}
extension PipeCommand: UsesEngine {}
extension PlanCommand: UsesEngine {}

extension ConvertCommand: UsesEngine {
  /// Several sources, and those of a restricted worker, are not rendered in this process.
  static func engine(for words: [String]) -> RenderEngine.Extent {
    words.contains { $0 == "-o" || $0.hasPrefix("--output") || $0.hasPrefix("--sandbox") }
      ? .libraries : .running
  }
}

extension InspectCommand: UsesEngine {
  static func engine(for words: [String]) -> RenderEngine.Extent {
    words.contains { $0.hasPrefix("--sandbox") } ? .libraries : .running
  }
}

extension Invocation {
  /// Loads the engine on another thread while the arguments are parsed, if the command needs it.
  func loadEngine() {
    let options = typed.prefix { $0 != "--" }
    guard let command = command as? any UsesEngine.Type, options.count > 1,
      !options.contains(where: { ["-h", "--help", "--version"].contains($0) })
    else { return }
    RenderEngine.prepare(command.engine(for: Array(options)))
  }
}
