import SystemIO

/// The text of a first manifest.
enum ManifestDraft {
  private static let head = """
    # yaml-language-server: $schema=imagemill.schema.json
    # For completion in editors, write the schema: imagemill schema > imagemill.schema.json
    # The format: imagemill help manifest. The filters: imagemill help filters.
    imagemill: 1

    """

  private static let settings = """
    # Named filter chains. limit never enlarges; fill crops to exactly the size.
    filters:
      small: limit:1600x1600

    # Starting values of every output.
    defaults:
      quality: 80

    """

  /// A manifest that makes two outputs of one image.
  static let example = """
    \(head)
    \(settings)
    jobs:
      # A source is a path, an http(s) URL or a data URL. The extension of 'output' sets the format.
      - source: ./photo.jpg
        filter: small
        output: images/photo.webp

      # Several outputs of one source, which is downloaded once.
      # - source: https://example.com/hero.jpg
      #   outputs:
      #     - {output: "images/hero-{width}.{ext}", filter: "limit:{width}x", matrix: {width: [400, 800], format: [avif, jpeg]}}

      # A job for each row of a table, or for each file that matches a pattern.
      # - from: products.csv
      #   source: "{file}"
      #   output: "images/{sku}.webp"

    """

  /// A member of `jobs` with a job for each row or file of an input.
  private struct Member {
    var from: String
    var source: String?
    var template: String

    var text: String {
      """
        - from: \(JSONText.quoted(from))
      \(source.map { "    source: \(JSONText.quoted($0))\n" } ?? "")    filter: small
          output: \(JSONText.quoted(template))

      """
    }
  }

  /// A manifest with these members.
  private static func text(_ members: [Member]) -> String {
    """
    \(head)
    \(settings)
    jobs:
      # One job for each line, row or file. Fields such as {name} and {dir} make different paths.

    """ + members.map(\.text).joined()
  }

  /// Manifests of a list, the plainest first. The next is for sources of one name. None has {index}, with which a new line
  /// would give other outputs to the lines after it.
  /// - Parameters:
  ///   - source: The template of sources; nil for the column of that name.
  ///   - directories: The directories that outputs may go to.
  static func drafts(ofList path: String, source: String?, outputs directories: [String]) -> [String] {
    ["{name}", "{host}/{name}", "{host}/{dir}/{name}", "{name}-{source-hash:8}"].flatMap { template in
      directories.map { text([Member(from: path, source: source, template: "\($0)/\(template).webp")]) }
    }
  }

  /// Manifests of the files that match a pattern, the plainest first. The next is for files of one name.
  /// - Parameter directories: The directories that outputs may go to.
  static func drafts(ofPattern pattern: String, outputs directories: [String]) -> [String] {
    ["{dir}/{name}", "{dir}/{name}-{source-hash:8}"].flatMap { template in
      directories.map { text([Member(from: pattern, template: "\($0)/\(template).webp")]) }
    }
  }

  /// Manifests of a directory's images, the plainest first. The next is for images of one name in several formats.
  /// - Parameter outputs: The directory of outputs.
  static func drafts(ofDirectory path: String, extensions: [String], outputs: String) throws -> [String] {
    let plain = Member(
      from: try pattern(path, extensions: extensions), template: "\(outputs)/{dir}/{name}.webp")
    let each = try extensions.map {
      Member(from: try pattern(path, extensions: [$0]), template: "\(outputs)/{dir}/{name}-\($0).webp")
    }
    // A pattern of WebP images would match the outputs of the other patterns, which lie in the same directory.
    return path.isEmpty && extensions.contains("webp") ? [text([plain])] : [text([plain]), text(each)]
  }

  /// The pattern of a directory's images.
  /// - Parameter path: The directory, relative to the manifest's; empty for the same one.
  /// - Throws: `CommandError` if the name has characters that patterns use.
  private static func pattern(_ path: String, extensions: [String]) throws -> String {
    if path.contains(where: { "*?[]{}\\".contains($0) }) {
      throw CommandError(.usage, "--from: '\(path)' has characters that patterns use; rename the directory")
    }
    let suffix = extensions.count == 1 ? extensions[0] : "{\(extensions.joined(separator: ","))}"
    return "\(path.isEmpty ? "" : path + "/")**/*.\(suffix)"
  }
}
