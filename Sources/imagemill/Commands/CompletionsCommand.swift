import ArgumentParser

/// Completion scripts for shells.
struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions", abstract: "Print a completion script for bash, zsh or fish.",
    discussion: """
      'make install' installs the scripts where the shells look for them.

        imagemill completions bash > /etc/bash_completion.d/imagemill
        imagemill completions zsh > "${fpath[1]}/_imagemill"
        imagemill completions fish > ~/.config/fish/completions/imagemill.fish
      """)

  @Argument(help: "bash, zsh or fish.")
  var shell: ShellArgument

  func run() throws {
    let known: CompletionShell =
      switch shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    try StandardOutput.write(Self.repaired(Imagemill.completionScript(for: known)))
  }

  /// The parser's script without its own `help` command, which shells would use instead of imagemill's.
  private static func repaired(_ script: String) -> String {
    var lines = script.split(separator: "\n", omittingEmptySubsequences: false)
    lines.removeAll { $0.contains("Show subcommand help information.") }
    let heads = lines.indices.filter { lines[$0] == "_imagemill_help() {" }
    if heads.count > 1, let head = heads.last, let end = lines[head...].firstIndex(of: "}") {
      lines.removeSubrange(head...end)
    }
    // zsh's _describe takes the text after a colon for a description.
    for (index, line) in lines.enumerated() where line.hasPrefix("    local -ar _") && line.hasSuffix("')") {
      lines[index] = line.replacing(":", with: "\\:")[...]
    }
    return lines.joined(separator: "\n").replacing("|help|help)", with: "|help)")
  }
}

enum ShellArgument: String, ExpressibleByArgument, CaseIterable {
  case bash, zsh, fish
}
