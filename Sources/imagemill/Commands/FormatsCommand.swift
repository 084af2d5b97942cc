import ArgumentParser
import ImageBatch
import ImageFilters
import ImageRendering

/// Lists the formats that can be read and written here.
struct FormatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "formats",
    abstract: "List the formats that this installation reads and writes, and the encoders' options.",
    discussion: """
      Set an option with --encode NAME=VALUE, or under 'encode' in a manifest. For a list of formats such as \
      'avif,webp,jpeg', the smallest file among the formats that can hold the image is written.

        imagemill formats
        imagemill formats webp
      """)

  @Argument(
    help: "Show only this output format: a name or an extension without the dot.",
    completion: CompletionWords.formats)
  var name: String?

  func run() throws {
    if let name {
      guard let format = EncoderTable.format(named: name),
        let definition = EncoderTable.definition(of: format)
      else {
        let word = name.lowercased()
        if FormatSupport.readableOnRequest.contains(word) {
          throw CommandError(.usage, "\(word) is read, with --allow-format \(word), but not written")
        }
        if FormatSupport.readableByDefault.contains(word) {
          throw CommandError(.usage, "\(word) is read, but not written")
        }
        let names = EncoderTable.all.map(\.format.rawValue)
        let nearest = NearestName.question(name, among: names)
        throw CommandError(
          .usage, "unknown output format '\(name)'\(nearest)\n  'imagemill formats' lists the formats.")
      }
      try StandardOutput.write(try Self.description(of: definition))
      return
    }
    var text = "Read by default\n  \(FormatSupport.readableByDefault.joined(separator: " "))\n"
    text += "Read with --allow-format\n  \(FormatSupport.readableOnRequest.joined(separator: " "))\n"
    let automatic = Encoding.automatic.map(\.rawValue).joined(separator: " ")
    text += "Tried by --format auto, which writes the smallest file that can hold the image\n  \(automatic)\n"
    for definition in EncoderTable.all { text += try "\n" + Self.description(of: definition) }
    try StandardOutput.write(text)
  }

  private static func description(of definition: EncoderDefinition) throws -> String {
    let holds = [
      (definition.holdsAlpha, "transparency"), (definition.holdsTiming, "animation"),
      (definition.holdsFrames && !definition.holdsTiming, "pages of a TIFF source"),
      (definition.holds16Bits, "16 bits"),
    ].filter(\.0).map(\.1)
    var text = "\(definition.format.rawValue)  .\(definition.pathExtensions.joined(separator: " ."))"
    text += "  \(definition.mediaType)"
    text += holds.isEmpty ? "\n" : "  holds \(holds.joined(separator: ", "))\n"
    if try !FormatSupport.canWrite(definition.format) {
      return text + "  can't be written by the installed libvips\n"
    }
    let width = definition.options.map(\.name.count).max() ?? 0
    for option in definition.options {
      text += "  \(option.name.padded(to: width))  \(option.help) \(option.valueText)"
      text += " (default: \(option.defaultValue))\n"
    }
    return text
  }
}
