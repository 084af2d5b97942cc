import ArgumentParser

/// Completion scripts for shells.
struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions", abstract: "Print the completions for a shell: bash, zsh or fish.",
    discussion: """
      'make install' puts them where the shells look.

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
    StandardOutput.write(Imagemill.completionScript(for: known))
  }
}

/// A shell that completions are made for.
enum ShellArgument: String, ExpressibleByArgument, CaseIterable {
  case bash, zsh, fish
}
