import ArgumentParser
import Manifests

extension Diagnosis {
  /// The wrong settings of the configuration file and of the environment, as 'run' reads them.
  static func wrongSettings(_ layers: [SettingsLayer]) -> [Finding] {
    let problems: [String]
    do {
      _ = try Invocation(typed: [RunCommand._commandName], layers: layers).parse()
      return []
    } catch let error as ManifestCommandError {
      problems = error.errors.diagnostics.map { diagnostic in
        let place = diagnostic.line > 0 ? ":\(diagnostic.line):\(diagnostic.column)" : ""
        return "\(diagnostic.file)\(place): \(diagnostic.message)"
      }
    } catch let error as CommandError {
      // Each variable's mistake is a line.
      problems = error.message.replacing("\nimagemill: ", with: "\n").split(separator: "\n").map(String.init)
    } catch {
      problems = ["the settings can't be used: \(Imagemill.message(for: error))"]
    }
    return problems.map {
      Finding(isBroken: true, problem: $0, remedy: "correct the value, or remove the setting")
    }
  }
}
