import ArgumentParser
import Foundation
import Manifests

/// A command line with the settings that apply to it.
///
/// Settings become options before those that were typed. The parser then treats them like typed ones, and one set of
/// checks and messages serves both.
struct Invocation: Sendable {
  /// The arguments as typed, without the executable.
  let typed: [String]
  /// From the lowest precedence to the highest.
  var layers: [SettingsLayer]

  /// The invocation of this process.
  @TaskLocal static var current = Invocation(typed: [], layers: [])

  init(typed: [String], layers: [SettingsLayer]) {
    self.typed = typed
    self.layers = layers
  }

  /// - Throws: `ManifestCommandError` or `CommandError` if the configuration file is wrong.
  init(_ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    let (command, _) = Self.command(arguments)
    // The others have no settings, and work even if the configuration file is wrong.
    guard command != Imagemill.self, command != HelpCommand.self, command != ManualsCommand.self else {
      self.init(typed: arguments, layers: [])
      return
    }
    self.init(
      typed: arguments, layers: [try .configuration(environment), .environment(environment)])
  }

  /// The same with the settings of manifests, which go before the configuration file's.
  func with(_ settings: [ManifestSetting]) -> Invocation {
    var result = self
    let place = layers.firstIndex { $0.origin == .environment } ?? layers.endIndex
    result.layers.insert(.manifests(settings), at: place)
    return result
  }

  /// A setting that isn't on the command line, with its arguments.
  private struct Applied {
    let value: SettingsLayer.Value
    let arguments: [String]
  }

  // MARK: Parsing

  /// Parses the command line, with the settings.
  /// - Throws: `CommandError` or `ManifestCommandError` for a wrong setting; the parser's error for a wrong command line.
  func parse() throws -> any ParsableCommand {
    let (command, depth) = Self.command(typed)
    let applied = try applied(to: command, depth)
    let line = { (settings: [Applied]) in
      Operands.grouped(
        Array(typed.prefix(depth)) + settings.flatMap(\.arguments) + Array(typed.dropFirst(depth)))
    }
    do {
      return try Imagemill.parseAsRoot(line(applied))
    } catch {
      guard !applied.isEmpty, Imagemill.exitCode(for: error) != .success else { throw error }
      // A wrong command line is reported as if there were no settings, and a request for help is met.
      let plain = try Imagemill.parseAsRoot(line([]))
      if type(of: plain) != command { return plain }
      for setting in applied {
        do { _ = try Imagemill.parseAsRoot(line([setting])) } catch {
          throw Self.mistake(setting.value, error)
        }
      }
      throw error
    }
  }

  /// The settings that a command has and that weren't typed, each from the layer of highest precedence.
  private func applied(to command: any ParsableCommand.Type, _ depth: Int) throws -> [Applied] {
    // The cache finds this variable by itself; a command line without other settings needs no list of options.
    guard layers.contains(where: { $0.values.contains { $0.place != "IMAGEMILL_CACHE_DIR" } }) else {
      return []
    }
    let options = try OptionTable(command)
    var known = options.names(in: typed.dropFirst(depth))
    var applied: [Applied] = []
    for layer in layers.reversed() {
      for value in layer.values.reversed() {
        guard let option = options[value.name], known.insert(value.name).inserted else { continue }
        guard let arguments = value.arguments(isFlag: option.isFlag) else {
          throw Self.mistake(value, "'\(value.texts.joined(separator: ", "))' must be true or false")
        }
        applied.append(Applied(value: value, arguments: arguments))
      }
    }
    return applied.reversed()
  }

  /// The command that the first words name, and their number.
  private static func command(_ arguments: [String]) -> (any ParsableCommand.Type, depth: Int) {
    var command: any ParsableCommand.Type = Imagemill.self
    var depth = 0
    for word in arguments {
      guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else {
        break
      }
      command = next
      depth += 1
    }
    return (command, depth)
  }

  // MARK: Mistakes

  /// Checks a setting of a manifest by itself, as an option of `run`, which has all that a manifest may set.
  /// - Throws: `ManifestCommandError` with the mistake.
  static func check(_ setting: ManifestSetting) throws {
    _ = try Invocation(typed: [RunCommand._commandName], layers: [.manifests([setting])]).parse()
  }

  private static func mistake(_ value: SettingsLayer.Value, _ error: any Error) -> any Error {
    let text = UsageErrorFormatter.text(Imagemill.fullMessage(for: error), arguments: [])
    let line = text.split(separator: "\n").first.map(String.init) ?? text
    return mistake(value, line.hasPrefix("imagemill: ") ? String(line.dropFirst("imagemill: ".count)) : line)
  }

  private static func mistake(_ value: SettingsLayer.Value, _ message: String) -> any Error {
    guard let location = value.location else { return CommandError(.usage, "\(value.place): \(message)") }
    return ManifestCommandError(
      ManifestErrors([
        .init(
          file: location.file, line: location.line, column: location.column,
          message: "setting '\(value.name)': \(message)")
      ]))
  }
}

extension ParsableCommand {
  /// The same command line with the settings of its manifests.
  /// - Throws: `ManifestCommandError` for a wrong setting.
  func settled(by settings: [ManifestSetting]) throws -> Self {
    guard !settings.isEmpty, let command = try Invocation.current.with(settings).parse() as? Self else {
      return self
    }
    return command
  }
}
