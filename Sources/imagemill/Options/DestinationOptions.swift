import ArgumentParser

/// Options for the directory of relative outputs.
struct DestinationOptions: ParsableArguments {
  @Option(
    name: [.customShort("C"), .customLong("output-dir")],
    help: ArgumentHelp(
      "Output directory, or s3://BUCKET/PREFIX (default: '.').", valueName: "dir"),
    completion: .directory)
  var outputDirectory: String?

  @Flag(
    help: ArgumentHelp(
      "Allow outputs outside the output directory, and local sources on standard input outside the current directory. "
        + "Operands may be anywhere."))
  var allowOutside = false

  func validate() throws { try ObjectDestination.check(directory: outputDirectory) }
}
