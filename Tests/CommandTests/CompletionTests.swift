import Foundation
import ImageBatch
import ImageFilters
import Testing

@testable import imagemill
import ImageRendering

/// The completions, as the real shells make them.
@Suite("Completions", .timeLimit(.minutes(8)))
struct CompletionTests {
  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    var path: String { "/usr/bin/\(rawValue)" }
    var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }
  }

  private let command: CommandRun
  private static let installed = Shell.allCases.filter(\.isInstalled)

  init() throws {
    command = try CommandRun()
    try command.write("", to: "image.jpg")
    try FileManager.default.createDirectory(
      atPath: command.work + "/folder", withIntermediateDirectories: true)
  }

  /// What a shell offers at the end of each of the lines.
  private func offers(_ shell: Shell, _ lines: [String]) async throws -> [Set<String>] {
    let script = try await command.run("completions", shell.rawValue)
    let functions = command.directory + "/functions"
    try FileManager.default.createDirectory(atPath: functions, withIntermediateDirectories: true)
    try script.output.write(to: URL(fileURLWithPath: functions + "/_imagemill"))
    try Self.program(shell).write(toFile: functions + "/ask", atomically: true, encoding: .utf8)
    let start = shell == .zsh ? ["-f"] : shell == .fish ? ["--no-config"] : ["--norc"]
    let outcome = try await command.run(
      start + [functions + "/ask", functions] + lines,
      environment: ["HOME": command.directory, "TERM": "dumb", "LC_ALL": "C.UTF-8"], executable: shell.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let answers = outcome.text.components(separatedBy: "--- end\n").dropLast()
    try #require(answers.count == lines.count, "\(outcome.text)\(outcome.errors)")
    return answers.map { answer in
      Set(
        answer.split(separator: "\n").map {
          String($0.prefix { $0 != "\t" }).trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty })
    }
  }

  /// Asks the shell itself, which has been given a folder with the script, and lines.
  private static func program(_ shell: Shell) -> String {
    switch shell {
    case .bash:
      #"""
      source "$1/_imagemill"; shift
      for line; do
        read -ra COMP_WORDS <<< "$line"
        [[ $line == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMP_POINT=${#line} COMP_TYPE=9 COMPREPLY=()
        _imagemill imagemill "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}"
        echo '--- end'
      done
      """#
    case .fish:
      #"""
      source $argv[1]/_imagemill
      for line in $argv[2..]
        complete -C $line
        echo '--- end'
      end
      """#
    case .zsh:
      // What is offered goes through compadd, whose words are written to a file, one for each line, since a
      // shell that was slow can write after its turn. The editor needs a terminal.
      #"""
      zmodload zsh/zpty zsh/zselect
      folder=$1; shift
      for line; do
        (( number += 1 ))
        export OFFERS=$folder/offers.$number
        : > $OFFERS; rm -f $OFFERS.end
        zpty -b shell zsh -f -i
        zpty -w shell "PROMPT=; fpath=($folder \$fpath); autoload -Uz compinit; compinit -u -D"
        zpty -w shell 'compadd() {
          local -a hits
          if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)(|\ *) ]]; then
            builtin compadd -A hits "$@"; print -rl -- $hits >> $OFFERS
          fi
          builtin compadd "$@"
        }'
        zpty -w shell 'offer() { zle complete-word; : > $OFFERS.end; exit }; zle -N offer; bindkey "^I" offer'
        zpty -w -n shell "$line"$'\t'
        for tick in {1..3000}; do
          while zpty -r -t shell output 2> /dev/null; do :; done
          [[ -e $OFFERS.end ]] && break
          zselect -t 2
        done
        zpty -d shell
        [[ -e $OFFERS.end ]] || { print -u 2 -r -- "no completion of '$line' within a minute"; exit 1 }
        cat $OFFERS
        echo '--- end'
      done
      """#
    }
  }

  @Test("offer every option of every command, and no other", arguments: installed)
  func options(shell: Shell) async throws {
    let commands = try #require(try HelpDump.root().subcommands?.filter { $0.shouldDisplay != false })
    let offers = try await offers(shell, commands.map { "imagemill \($0.commandName) --" })
    for (command, offer) in zip(commands, offers) {
      let options = (command.arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }
        .filter { $0.kind == "long" }.map { "--\($0.name)" }
      #expect(!options.isEmpty)
      let offered = offer.filter { $0.hasPrefix("--") }.map { $0.replacing("=", with: "") }
      #expect(Set(offered) == Set(options), "\(command.commandName)")
    }
  }

  @Test("offer commands, topics, filters, formats, words and files where they belong", arguments: installed)
  func values(shell: Shell) async throws {
    let commands = try HelpDump.root().subcommands?.filter { $0.shouldDisplay != false }.map(\.commandName)
    let filters = Set(FilterTable.all.map(\.name))
    let formats = Set(EncoderTable.all.map(\.format.rawValue))
    let cases: [(String, Set<String>)] = [
      ("imagemill ", Set(try #require(commands))),
      ("imagemill cache ", Set(CacheCommand.configuration.subcommands.map { $0._commandName })),
      ("imagemill convert -f ", filters), ("imagemill pipe --filter ", filters),
      ("imagemill filters ", filters), ("imagemill run --format ", formats.union(["auto", "same"])),
      ("imagemill formats ", formats),
      ("imagemill run --order ", ["fifo", "lifo"]),
      ("imagemill run --progress ", ["auto", "bar", "plain", "none"]),
      ("imagemill pipe --input ", ["sources", "ndjson", "csv", "tsv"]),
      ("imagemill run --cache-intermediates ", ["auto", "always", "never"]),
      ("imagemill convert --metadata ", ["none", "copyright", "all"]),
      ("imagemill inspect --on-corrupt ", ["fail", "warn"]),
      ("imagemill completions ", ["bash", "zsh", "fish"]),
      ("imagemill help ", Set(HelpTopic.all.map(\.name))),
    ]
    let offers = try await offers(shell, cases.map(\.0))
    for (one, offer) in zip(cases, offers) {
      #expect(offer.subtracting(["-h", "--help", "--version"]) == one.1, "\(one.0)")
    }
    let files = try await self.offers(shell, ["imagemill convert ima", "imagemill run -C fol"])
    #expect(files[0] == ["image.jpg"])
    #expect(Set(files[1].map { $0.replacing("/", with: "") }) == ["folder"])
  }

  @Test("offer the words of every option that takes some", arguments: installed)
  func words(shell: Shell) async throws {
    let lists = try HelpDump.wordLists()
    #expect(lists.count >= 14)
    let offers = try await offers(shell, lists.map { "imagemill \($0.command) --\($0.option) " })
    for (list, offer) in zip(lists, offers) {
      #expect(offer == Set(list.words), "\(list.command) --\(list.option)")
    }
  }
}

extension HelpDump {
  /// The words that options' values are made of, each option once.
  fileprivate static func wordLists() throws -> [(command: String, option: String, words: [String])] {
    let dump = try JSONSerialization.jsonObject(with: Data(Imagemill._dumpHelp().utf8)) as? [String: Any]
    let commands = (dump?["command"] as? [String: Any])?["subcommands"] as? [[String: Any]] ?? []
    var seen: Set<String> = []
    var result: [(String, String, [String])] = []
    for command in commands where command["shouldDisplay"] as? Bool != false {
      for argument in command["arguments"] as? [[String: Any]] ?? [] {
        let names = argument["names"] as? [[String: Any]] ?? []
        guard let name = names.first(where: { $0["kind"] as? String == "long" })?["name"] as? String,
          let list = (argument["completionKind"] as? [String: Any])?["list"] as? [String: Any],
          let words = list["values"] as? [String], let command = command["commandName"] as? String
        else { continue }
        if seen.insert("\(name) \(words)").inserted { result.append((command, name, words)) }
      }
    }
    return result.map { (command: $0.0, option: $0.1, words: $0.2) }
  }
}
