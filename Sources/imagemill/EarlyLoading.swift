import ArgumentParser
import Foundation
import ImageCaches
import ImageRendering

/// A command whose images or keys need the engine.
protocol UsesEngine: ParsableCommand {
  /// How far this process needs it, as the words of the command line suggest; nil if not at all. A wrong guess costs time
  /// alone.
  static func engine(for words: [String]) -> RenderEngine.Extent?
}

extension UsesEngine {
  /// Nothing is found in a new store, so that workers start at once, and tell what keys need of the engine.
  static func engine(for words: [String]) -> RenderEngine.Extent? {
    words.contains("--no-cache") || !hasStore(words) ? nil : .libraries
  }

  private static func hasStore(_ words: [String]) -> Bool {
    let option = "--cache-dir"
    let typed =
      words.last { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
      ?? words.lastIndex(of: option).flatMap { words.dropFirst($0 + 1).first }
    let directory = typed ?? DiskStore.defaultDirectory(environment: ProcessInfo.processInfo.environment)
    return directory.map(DiskStore.exists) ?? false
  }
}

extension RunCommand: UsesEngine {}
extension PipeCommand: UsesEngine {}

extension PlanCommand: UsesEngine {
  static func engine(for words: [String]) -> RenderEngine.Extent? { .libraries }
}

extension ConvertCommand: UsesEngine {
  /// Several sources, and those of a restricted worker, are not rendered in this process.
  static func engine(for words: [String]) -> RenderEngine.Extent? {
    words.contains { $0 == "-o" || $0.hasPrefix("--output") || $0.hasPrefix("--sandbox") }
      ? .libraries : .running
  }
}

extension InspectCommand: UsesEngine {
  static func engine(for words: [String]) -> RenderEngine.Extent? {
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
    if let extent = command.engine(for: Array(options)) { RenderEngine.prepare(extent) }
  }
}
