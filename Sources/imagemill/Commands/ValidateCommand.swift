import ArgumentParser
import ImageBatch
import Manifests

/// Checks manifests.
struct ValidateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Check manifests and report every mistake, without running them.",
    usage: "imagemill validate [<options>] [<manifest> ...]",
    discussion: """
      The command exits 0 if all manifests are valid, 2 otherwise. It shows up to 200 mistakes of a \
      manifest, and the number of the others. It doesn't use the cache, so it accepts an output that would replace the source of \
      another job: an earlier run may have made that file. 'imagemill plan' refuses it if no run has.

        imagemill validate images.yaml
      """)

  @Argument(
    help: ArgumentHelp(
      "Manifests; '-' is standard input (default: imagemill.yaml, .yml, .toml or .json in this directory).",
      valueName: "manifest"),
    completion: .file(extensions: ManifestArguments.extensions))
  var manifests: [String] = []

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "Output path template for jobs without their own, such as those of a list.", valueName: "template"))
  var output: String?

  @OptionGroup(title: "Manifest") var arguments: ManifestArguments

  func run() async throws {
    var isWrong = false
    var wrongVariables: CommandError?
    do {
      // The configuration file and the environment as 'run' reads them.
      _ = try Invocation(typed: [RunCommand._commandName], layers: Invocation.current.layers).parse()
    } catch let complaint as ManifestCommandError {
      complaint.print()
      isWrong = true
    } catch let error as CommandError {
      wrongVariables = error
    }
    var conflicts = RecordConflicts()
    var jobs: [Job] = []
    let paths = try ManifestArguments.paths(manifests)
    for path in paths {
      do {
        isWrong = try await complain(of: path, amongOthers: paths.count > 1, &conflicts, &jobs) || isWrong
      } catch let complaint as ManifestCommandError {
        complaint.print()
        isWrong = true
      }
    }
    var quotes = ManifestQuotes()
    for circle in JobDependencies.circles(in: jobs) {
      StandardError.write("\(quotes.quoting(circle))\n")
      Annotations.add(circle)
      isWrong = true
    }
    if let wrongVariables { throw wrongVariables }
    if isWrong { throw ExitStatus.usage }
  }

  /// Reports wrong records of a list, and outputs with the path of another manifest's output.
  /// - Parameter jobs: Receives the jobs of a document, with their output directory.
  /// - Returns: Whether there were any.
  /// - Throws: `ManifestCommandError` with all mistakes of a document.
  private func complain(
    of path: String, amongOthers: Bool, _ conflicts: inout RecordConflicts, _ jobs: inout [Job]
  ) async throws -> Bool {
    var options = arguments.options(for: path)
    options.outputTemplate = try OutputOptions.template(output)
    options.checksPlaces = true
    var sums = DiagnosticSums()
    var quotes = ManifestQuotes()
    func tell(_ found: ManifestDiagnostic?) {
      for diagnostic in found?.each ?? [] where sums.note(diagnostic) {
        StandardError.write("\(quotes.quoting(diagnostic))\n")
        Annotations.add(diagnostic)
      }
    }
    // The files of the run are protected, and outputs mustn't leave their directory through links.
    var links = LinkedPlaces()
    func tellPlaces(of job: Job, besides files: [String], in directory: String = ".") {
      for overwrite in OverwrittenSource.own(of: job, besides: files, outputDirectory: directory) {
        tell(PlaceRefusal.diagnostic(overwrite))
      }
      var occupied = OccupiedPlace.find(in: job, outputDirectory: directory)
      if !options.allowsOutside { occupied += links.find(in: job, outputDirectory: directory) }
      for place in occupied { tell(PlaceRefusal.diagnostic(place)) }
    }
    let input: ManifestInput
    do {
      input = try ManifestArguments.open(path, options)
    } catch let error as ManifestCommandError {
      guard output == nil, path != "-" else { throw error }
      // A list may lack nothing but the template: its lines are checked with one that fits them all.
      options.outputTemplate = try OutputOptions.template("{index}.png")
      guard case .lines(let jobs)? = try? ManifestArguments.open(path, options) else { throw error }
      for diagnostic in error.errors.diagnostics { tell(diagnostic) }
      for await case .failure(let diagnostic) in jobs { tell(diagnostic) }
      return true
    }
    switch input {
    case .lines(let jobs):
      for await record in jobs {
        switch record {
        case .success(let job):
          tell(conflicts.claim(job))
          tellPlaces(of: job, besides: path == "-" ? [] : [path])
        case .failure(let diagnostic): tell(diagnostic)
        }
      }
    case .document(let manifest):
      let directory = manifest.outputDirectory ?? ManifestArguments.directory(of: path)
      jobs += (manifest.jobs + manifest.readRows()).placed(in: directory)
      let files = (path == "-" ? [] : [path]) + manifest.rows.compactMap(\.tablePath)
      for case .success(let job) in manifest.rows.joined() {
        tellPlaces(of: job, besides: files, in: directory)
      }
      guard amongOthers else { break }
      conflicts.claim(manifest, in: directory, tell)
    }
    for diagnostic in sums.remainder { StandardError.write("\(diagnostic)\n") }
    return !sums.isEmpty
  }
}
