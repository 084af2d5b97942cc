import ArgumentParser
import FoundationEssentials
import SystemIO

/// Reports on this installation and its problems.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check this installation and print a report for bug reports.",
    discussion: """
      The report has versions, formats, limits, the state of the cache, and a remedy for each problem. The command \
      changes nothing and shows no password. It exits 1 if something that imagemill needs is broken.

        imagemill doctor
        imagemill doctor --json
      """)

  @OptionGroup var place: CacheCommand.Place
  @Flag(help: "Print one JSON object.") var json = false

  func run() throws {
    let diagnosis = Diagnosis(cacheDir: place.settings.directory, cacheSize: place.settings.capacity)
    if json {
      let text = String(decoding: try JSONText.encoded(diagnosis, pretty: true), as: UTF8.self)
      try StandardOutput.write(text + "\n")
    } else {
      try StandardOutput.write(diagnosis.text)
    }
    if diagnosis.isBroken { throw ExitStatus.failed }
  }
}
