import ArgumentParser
import Dispatch
import ImageBatch
import ImageRendering

/// The root command.
struct Imagemill: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "imagemill",
    abstract: "Make for images: downloads each source once, runs filters, writes the outputs.",
    usage: """
      imagemill run MANIFEST…
      imagemill pipe -f CHAIN -o TEMPLATE < urls.txt
      imagemill convert SOURCE -f CHAIN OUTPUT
      """,
    discussion: """
      Exit status: 0 every output is in place; 1 a job failed; 2 the command line, a setting or a manifest is \
      wrong and nothing was started; 3 --check found a difference, such as an output that is missing or out of date, \
      or --frozen a source that isn't in the lock file or differs from it; 75 every failure was temporary and retrying may succeed; 129, 130 or 143 stopped by a signal.
      """,
    version: Version.text,
    subcommands: [
      RunCommand.self, PipeCommand.self, ConvertCommand.self, FetchCommand.self, LsCommand.self,
      PlanCommand.self, ReportCommand.self,
      ValidateCommand.self, InitCommand.self, InspectCommand.self, FiltersCommand.self, FormatsCommand.self,
      ConfigCommand.self,
      CacheCommand.self,
      SchemaCommand.self, CompletionsCommand.self, DoctorCommand.self, HelpCommand.self, ManualsCommand.self,
    ])
}

/// The process's entry point: a worker if the first argument selects it, else the command.
@main
enum EntryPoint {
  // Not asynchronous: the limits are checked before the first thread is started.
  static func main() {
    StandardStreams.reserve()
    let arguments = CommandLine.arguments
    if arguments.count > 1, arguments[1] == WorkerMain.argument {
      WorkerMain.run()
      return
    }
    if let refusal = ProcessLimits.refusal {
      StandardError.say("imagemill: \(refusal)")
      ExitStatus.usage.endProcess()
    }
    Task { await CommandRunner.run(Array(arguments.dropFirst())) }
    dispatchMain()
  }
}
