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
    for (name, meant) in SettingsLayer.misspelled(environment) {
      StandardError.say("imagemill: warning: the variable \(name) is not a setting (did you mean \(meant)?)")
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
    let isFlag: Bool
    /// nil if the value of a switch is neither yes nor no, or that of another option is empty.
    var arguments: [String]? { value.arguments(isFlag: isFlag) }
  }

  /// Whether an option is on the command line.
  /// - Parameters:
  ///   - name: Its long name.
  ///   - letter: Its short name, which may be joined with others, as in `-qC`. Default: nil.
  func isTyped(_ name: String, letter: Character? = nil) -> Bool {
    typed.prefix { $0 != "--" }.contains { word in
      if word == "--\(name)" || word.hasPrefix("--\(name)=") { return true }
      guard let letter, word.hasPrefix("-"), !word.hasPrefix("--") else { return false }
      return word.contains(letter)
    }
  }

  /// The place that sets an option; nil for the command line. See ``isTyped(_:letter:)``.
  func origin(of name: String, letter: Character? = nil) -> SettingsLayer.Origin? {
    if isTyped(name, letter: letter) { return nil }
    return layers.last { $0[name] != nil }?.origin
  }

  // MARK: Parsing

  /// Parses the command line, with the settings.
  /// - Throws: `CommandError` or `ManifestCommandError` with every wrong setting; the parser's error for a wrong command
  ///   line.
  func parse() throws -> any ParsableCommand {
    let (command, depth) = Self.command(typed)
    let applied = try applied(to: command, depth)
    let line = { (settings: [Applied]) in
      Operands.grouped(
        Array(typed.prefix(depth)) + settings.flatMap { $0.arguments ?? [] } + Array(typed.dropFirst(depth)))
    }
    var mistakes = applied.filter { $0.arguments == nil }.map {
      SettingMistake(withoutArguments: $0.value, isFlag: $0.isFlag)
    }
    mistakes += applied.compactMap { SettingMistake(encoding: $0.value) }
    do {
      let parsed = try parse(line(applied))
      if mistakes.isEmpty { return parsed }
    } catch {
      guard !applied.isEmpty, Imagemill.exitCode(for: error) != .success else { throw error }
      // A wrong command line is reported as if there were no settings, and a request for help is met.
      let plain = try parse(line([]))
      if type(of: plain) != command { return plain }
      for setting in applied where setting.arguments != nil {
        do { _ = try parse(line([setting])) } catch {
          mistakes.append(SettingMistake(setting.value, error, isFlag: setting.isFlag))
        }
      }
      if mistakes.isEmpty, let mistake = mistakeOfCombination(applied, line) { mistakes = [mistake] }
      if mistakes.isEmpty { throw error }
    }
    throw SettingMistake.error(of: mistakes)
  }

  /// Parses arguments. What an option means may depend on whether it is typed.
  private func parse(_ arguments: [String]) throws -> any ParsableCommand {
    try Self.$current.withValue(self) { try Imagemill.parseAsRoot(arguments) }
  }

  /// The mistake of the first setting that is wrong together with those of lower precedence; nil if there is none.
  private func mistakeOfCombination(_ applied: [Applied], _ line: ([Applied]) -> [String]) -> SettingMistake?
  {
    for (index, setting) in applied.enumerated() {
      do { _ = try parse(line(Array(applied[...index]))) } catch {
        return SettingMistake(setting.value, error, isFlag: setting.isFlag)
      }
    }
    return nil
  }

  /// The settings that a command has and that weren't typed, each from the layer of highest precedence.
  private func applied(to command: any ParsableCommand.Type, _ depth: Int) throws -> [Applied] {
    // The cache finds this variable by itself; a command line without other settings needs no list of options.
    guard layers.contains(where: { $0.values.contains { $0.place != "IMAGEMILL_CACHE_DIR" } }) else {
      return []
    }
    let options = try OptionTable(command)
    var known = options.names(in: typed.dropFirst(depth))
    known.formUnion(known.compactMap { Setting.rivals[$0] })
    var applied: [Applied] = []
    for layer in layers.reversed() {
      var rivals: [String] = []
      for value in layer.values.reversed() {
        guard let option = options[value.name], known.insert(value.name).inserted else { continue }
        let setting = Applied(value: value, isFlag: option.isFlag)
        applied.append(setting)
        if let rival = Setting.rivals[value.name], setting.arguments?.isEmpty == false {
          rivals.append(rival)
        }
      }
      // Both in one place are a mistake.
      known.formUnion(rivals)
    }
    return applied.reversed()
  }

  /// The command that the typed words name.
  var command: any ParsableCommand.Type { Self.command(typed).0 }

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

  /// Checks a setting by itself, as an option of `run`, which has all that a manifest may set.
  /// - Returns: What is wrong; nil for nothing.
  static func problem(_ setting: ManifestSetting) -> String? {
    do {
      _ = try Invocation(typed: [RunCommand._commandName], layers: [.manifests([setting])]).parse()
      return nil
    } catch let error as ManifestCommandError {
      return error.errors.diagnostics.first?.message
    } catch {
      return "\(error)"
    }
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
