import ArgumentParser
import Glibc
import ImageDownloads
import ObjectStorage
import SystemIO

/// Lists objects as sources.
struct LsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls", abstract: "List the objects of a bucket, one source per line.",
    discussion: """
      The lines are input for 'imagemill pipe'. Empty objects whose keys end in a slash (folder markers) are left out.

        imagemill ls s3://photos/2026/ | imagemill pipe -o '{dir}/{name}.webp'
        imagemill ls < prefixes.txt
        imagemill ls --json s3://photos
      """)

  @Argument(
    help: ArgumentHelp(
      "Buckets, or prefixes of keys: s3://BUCKET/PREFIX; '-' stands for the lines of standard input (default: '-').",
      valueName: "prefix"))
  var prefixes: [String] = []

  @Flag(help: "Print one JSON object per line: source, size in bytes, last-modified time and ETag.")
  var json = false

  @OptionGroup(title: "Downloads") var downloads: DownloadOptions

  func validate() throws {
    if prefixes.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("standard input has one list: give '-' once")
    }
  }

  func run() async throws {
    let named = prefixes.isEmpty ? ["-"] : prefixes
    let prefixes = try named.flatMap { try $0 == "-" ? Self.lines() : [$0] }.map { text in
      do throws(ObjectAddress.Mistake) {
        return try ObjectAddress(parsingPrefix: text)
      } catch {
        throw CommandError(.usage, "'\(text)' can't be listed: \(error.message)")
      }
    }
    var cache = CacheSettings()
    cache.mode = .none
    cache.isEphemeral = true
    let failures = try await CommandServices.with(downloads: downloads, cache: cache) { services in
      var failures = FailureCount()
      for prefix in prefixes where !services.isStopped {
        failures.add(try await list(prefix, with: services))
      }
      return failures
    }
    if let status = failures.status { throw status }
  }

  /// The lines of standard input that aren't blank.
  private static func lines() throws -> [String] {
    StandardInput.announce("prefixes, one per line,")
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileIO.readToEnd(STDIN_FILENO, limit: 64 << 20)
    } catch {
      throw CommandError(.usage, "can't read the prefixes from standard input: \(error.text)")
    }
    // Other characters that break lines may be part of a key.
    return bytes.split(separator: UInt8(ascii: "\n")).map { line in
      String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }.filter { !$0.allSatisfy(\.isWhitespace) }
  }

  /// Prints page after page.
  /// - Throws: `CommandError` if it can't be written.
  private func list(_ prefix: ObjectAddress, with services: CommandServices) async throws -> ExitStatus {
    var continuation: String?
    var unsupported = 0
    repeat {
      let page: ObjectListing
      do throws(DownloadError) {
        page = try await services.downloader.objects(below: prefix, continuation: continuation)
      } catch {
        if services.isStopped { return .temporary }
        StandardError.say("imagemill: \(prefix): \(error.messageWithRemedy)")
        return error.isTemporary ? .temporary : .failed
      }
      if let next = page.continuation, next == continuation {
        StandardError.say("imagemill: \(prefix): the server sends the same page again; check the endpoint")
        return .failed
      }
      var text = ""
      for object in page.objects where !(object.key.hasSuffix("/") && object.byteCount == 0) {
        let address = ObjectAddress(bucket: prefix.bucket, key: object.key)
        do throws(ObjectAddress.Mistake) {
          _ = try ObjectAddress(parsing: address.description)
        } catch {
          unsupported += 1
          continue
        }
        text += json ? try ListedObject(address, object).line : "\(address)\n"
      }
      try StandardOutput.write(text)
      continuation = page.continuation
    } while continuation != nil
    if unsupported > 0 {
      StandardError.say(
        "imagemill: warning: \(prefix): left out \(unsupported) objects whose keys have control characters")
    }
    return .success
  }
}

/// The JSON object that `ls --json` prints for an object.
private struct ListedObject: Encodable {
  let source: String
  let bytes: Int?
  let modified: String?
  let etag: String?

  init(_ address: ObjectAddress, _ object: ObjectListing.Object) {
    source = address.description
    bytes = object.byteCount
    modified = object.modified
    etag = object.entityTag
  }

  var line: String {
    get throws { String(decoding: try JSONText.document(self), as: UTF8.self) + "\n" }
  }
}
