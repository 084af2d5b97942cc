import ArgumentParser
import ImageBatch
import ImageFilters

/// What can be read and written here.
struct FormatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "formats", abstract: "List what can be read and written here, with the encoders' options.",
    discussion: """
      An option is given as --encode NAME=VALUE, or under 'encode' in a manifest. Of several formats, as in
      'avif,webp,jpeg', the smallest file is taken that can hold the picture.

        imagemill formats
        imagemill formats webp
      """)

  @Argument(help: "A format to show alone.", completion: CompletionWords.formats)
  var name: String?

  func run() throws {
    if let name {
      guard let format = EncoderTable.format(named: name),
        let definition = EncoderTable.definition(of: format)
      else {
        let names = EncoderTable.all.map(\.format.rawValue)
        let nearest = NearestName.of(name, in: names).map { "; did you mean '\($0)'?" } ?? ""
        throw Complaint(
          .usage, "there is no output format '\(name)'\(nearest)\n  'imagemill formats' lists them.")
      }
      try StandardOutput.write(try Self.description(of: definition))
      return
    }
    var text = "Read by default\n  \(FormatSupport.readableByDefault.joined(separator: " "))\n"
    text += "Read with --allow-format\n  \(FormatSupport.readableOnRequest.joined(separator: " "))\n"
    let automatic = Encoding.automatic.map(\.rawValue).joined(separator: " ")
    text += "Written in the smallest that can hold the picture, with --format auto\n  \(automatic)\n"
    for definition in EncoderTable.all { text += try "\n" + Self.description(of: definition) }
    try StandardOutput.write(text)
  }

  private static func description(of definition: EncoderDefinition) throws -> String {
    let holds = [
      (definition.holdsAlpha, "transparency"), (definition.holdsFrames, "animation"),
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
