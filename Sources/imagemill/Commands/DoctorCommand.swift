import ArgumentParser
import FoundationEssentials
import SystemIO

/// What this installation is, and what is wrong with it.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what imagemill finds here, and what is wrong; made for bug reports.",
    discussion: """
      Versions, formats, limits as imagemill sees them, and the cache's health. It changes nothing and shows no \
      password. Exit 1 if something that is needed is broken, with the remedy.

        imagemill doctor
        imagemill doctor --json
      """)

  @OptionGroup var place: CacheCommand.Place
  @Flag(help: "As one JSON object.") var json = false

  func run() throws {
    let diagnosis = Diagnosis(cacheDir: place.cacheDir, cacheSize: place.cacheSize.bytes)
    if json {
      let text = String(decoding: try JSONText.encoded(diagnosis, pretty: true), as: UTF8.self)
      try StandardOutput.write(text + "\n")
    } else {
      try StandardOutput.write(diagnosis.text)
    }
    if diagnosis.isBroken { throw ExitStatus.failed }
  }
}
