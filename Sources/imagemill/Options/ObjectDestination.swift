import ArgumentParser
import ImageBatch
import ImageDownloads
import ObjectStorage

/// The checks of outputs in object storage, before anything starts.
struct ObjectDestination {
  /// The directory of `-C`; nil for none.
  var directory: String?
  /// The template of `-o`; nil for none.
  var template: String?
  /// The jobs that are known.
  var jobs: [Job] = []

  /// Whether outputs are objects.
  var isUsed: Bool {
    directory.map(ObjectAddress.isAddress) == true || template.map(ObjectAddress.isAddress) == true
      || jobs.contains { job in
        job.outputDirectory.map(ObjectAddress.isAddress) == true
          || job.outputs.contains(where: \.template.isObject)
      }
  }

  /// Checks the value of `-C` by itself.
  /// - Throws: `ValidationError` for a wrong address.
  static func check(directory: String?) throws {
    guard let directory, ObjectAddress.isAddress(directory) else { return }
    do throws(ObjectAddress.Mistake) {
      _ = try ObjectAddress(parsingPrefix: directory)
    } catch {
      throw ValidationError("-C: \(error.message)")
    }
  }

  /// Refuses wrong settings, and options that don't work with objects.
  /// - Parameters:
  ///   - downloads: The options with the server's settings.
  ///   - refusals: The options that are set and don't work with objects, with the reasons.
  /// - Throws: `CommandError` with the first mistake.
  func check(_ downloads: DownloadOptions, refusing refusals: [(isSet: Bool, text: String)] = []) throws {
    guard isUsed else { return }
    for refusal in refusals where refusal.isSet {
      throw CommandError(.usage, "outputs in object storage: \(refusal.text)")
    }
    if jobs.contains(where: { !$0.needs.isEmpty }) {
      throw CommandError(
        .usage,
        "outputs in object storage: a job's source is another job's output, which must be a file; run such jobs without "
          + "an S3 URL")
    }
    let stores = downloads.objectStorage.stores
    do throws(ObjectStorageFailure) { _ = try stores.service() } catch {
      throw CommandError(.usage, error.message)
    }
  }

  /// The reason to refuse `--offline`.
  static let offline = "--offline sends no request; leave it out"
  /// The reason to refuse `--prune`.
  static let prune = "--prune removes only files; use the bucket's lifecycle rules, or leave it out"
  /// The reason to refuse `--lock`.
  static let lock = "--lock compares files; leave it out"
  /// The reason to refuse `--emit`.
  static let emit = "--emit needs paths that are relative to a place: use -C s3://BUCKET/PREFIX instead of -o"
}
