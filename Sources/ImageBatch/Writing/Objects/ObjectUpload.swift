import Crypto
import Foundation
import Glibc
import ImageCaches
import ImageDownloads
import ObjectStorage
import SystemIO
import WebValues

/// One upload of a file to an object: a single request, or the parts of a multipart upload. The object appears whole or
/// not at all.
struct ObjectUpload: Sendable {
  /// What came of an upload.
  enum Outcome: Sendable {
    /// The object is there, with this entity tag.
    case done(String?)
    /// The object isn't as the condition wants it, or the upload has gone.
    /// - Parameter error: The error if that isn't because of the condition.
    case refused(DownloadError?)
  }

  let downloader: ImageDownloader
  let settings: ObjectPlaces.Settings
  let threads: BlockingThreadPool
  let address: ObjectAddress
  let file: StoredObject
  /// The fields that the object keeps.
  let fields: [HeaderField]
  /// `If-Match` or `If-None-Match`; nil for an upload under any condition.
  var condition: HeaderField?

  /// The longest time for aborting a multipart upload, after which its parts stay until the next run.
  private static let abortPatience = Duration.seconds(5)

  func send() async throws(DownloadError) -> Outcome {
    guard file.byteCount > settings.longestUpload else { return try await sendWhole() }
    let first = try await sendParts()
    guard case .refused(_?) = first else { return first }
    // Another run has aborted it, as if it were of a run that was killed. The new one is younger than that run.
    return try await sendParts()
  }

  private func sendWhole() async throws(DownloadError) -> Outcome {
    let service = try downloader.objectService(for: address)
    var request = ObjectRequest("PUT", service.url(of: address))
    request.fields = fields + [HeaderField("x-amz-checksum-sha256", Self.base64(file.digest))]
    if let condition { request.fields.append(condition) }
    request.payload = file.digest.hex
    let body = ObjectOperation.Body.file(path: file.path, offset: 0, byteCount: file.byteCount)
    let answer = try await downloader.perform(
      ObjectOperation(request, body: body), on: address, accepting: [409, 412])
    return try outcome(answer)
  }

  /// The outcome of the request that makes the object appear.
  private func outcome(_ answer: ObjectAnswer) throws(DownloadError) -> Outcome {
    let said = ObjectStorageAnswer(status: answer.status, fields: answer.fields, prefix: answer.body)
    if answer.status == 412 || said.code == "ConditionalRequestConflict" { return .refused(nil) }
    // CompleteMultipartUpload may fail after its status was sent.
    guard (200..<300).contains(answer.status), said.code == nil else {
      let error = failure(said, answer)
      if said.code == "NoSuchUpload" { return .refused(error) }
      throw error
    }
    return .done(answer.fields.first("ETag"))
  }

  private func failure(_ said: ObjectStorageAnswer, _ answer: ObjectAnswer) -> DownloadError {
    let words = said.words(for: address, isSigned: true, serverTime: answer.serverTime, now: SystemTime.now)
    var error = DownloadError(.httpStatus, words, source: address.description)
    error.status = answer.status
    error.isTemporary = said.isTemporary
    return error
  }

  // MARK: Parts

  private func sendParts() async throws(DownloadError) -> Outcome {
    let service = try downloader.objectService(for: address)
    var request = ObjectRequest("POST", service.uploadsURL(of: address))
    request.fields = fields + [HeaderField("x-amz-checksum-algorithm", "SHA256")]
    let begun = try await downloader.perform(ObjectOperation(request, body: .bytes([])), on: address)
    guard let upload = MultipartUpload.identifier(in: begun.body) else {
      throw DownloadError(
        .transferFailed, "the server didn't begin a multipart upload", source: address.description)
    }
    do throws(DownloadError) {
      guard let parts = try await sendParts(of: upload).get() else { return .refused(gone) }
      let outcome = try await complete(upload, parts)
      if case .refused(nil) = outcome { await abort(upload) }
      return outcome
    } catch {
      await abort(upload)
      throw error
    }
  }

  /// Sends the parts, several at a time, from the file: no part is in memory as a whole. After a failure no other part
  /// begins, and those in flight are ended before this returns: what arrived after the upload is aborted would stay.
  /// - Returns: The parts in their order; nil if the upload has gone.
  private func sendParts(of upload: String) async -> Result<[MultipartUpload.Part]?, DownloadError> {
    // S3 takes at most 10,000 parts.
    let length = max(settings.partLength, (file.byteCount + 9_999) / 10_000)
    let count = (file.byteCount + length - 1) / length
    return await withTaskGroup(of: (Int, Result<MultipartUpload.Part?, DownloadError>).self) { tasks in
      func begin(_ number: Int) {
        guard number <= count else { return }
        tasks.addTask { (number, await part(number, of: upload, (number - 1) * length, length)) }
      }
      for number in 1...max(1, settings.concurrentParts) { begin(number) }
      var begun = max(1, settings.concurrentParts)
      var parts: [Int: MultipartUpload.Part] = [:]
      var end: Result<[MultipartUpload.Part]?, DownloadError>?
      while let (number, result) = await tasks.next() {
        switch result {
        case .success(let part?):
          parts[number] = part
          guard end == nil else { continue }
          begun += 1
          begin(begun)
        case .success(nil):
          // The first failure tells why; the others were cancelled because of it.
          end = end ?? .success(nil)
          tasks.cancelAll()
        case .failure(let error):
          end = end ?? .failure(error)
          tasks.cancelAll()
        }
      }
      return end ?? .success(parts.sorted { $0.key < $1.key }.map(\.value))
    }
  }

  private func part(
    _ number: Int, of upload: String, _ offset: Int, _ length: Int
  ) async -> Result<MultipartUpload.Part?, DownloadError> {
    do throws(DownloadError) { return .success(try await send(upload, number, offset, length)) } catch {
      return .failure(error)
    }
  }

  private var gone: DownloadError {
    var error = DownloadError(
      .transferFailed, "the upload was aborted by another run or on the server", source: address.description)
    error.isTemporary = true
    return error
  }

  /// - Returns: The part; nil if the upload has gone.
  private func send(
    _ upload: String, _ number: Int, _ offset: Int, _ length: Int
  ) async throws(DownloadError) -> MultipartUpload.Part? {
    let service = try downloader.objectService(for: address)
    let count = min(length, file.byteCount - offset)
    let digest = try await digest(from: offset, count)
    var request = ObjectRequest("PUT", service.uploadURL(of: address, upload, part: number))
    let checksum = Self.base64(digest)
    request.fields = [HeaderField("x-amz-checksum-sha256", checksum)]
    request.payload = digest.hex
    let body = ObjectOperation.Body.file(path: file.path, offset: offset, byteCount: count)
    let answer = try await downloader.perform(
      ObjectOperation(request, body: body), on: address, accepting: [404])
    guard answer.status != 404 else { return nil }
    guard let tag = answer.fields.first("ETag") else {
      throw DownloadError(
        .transferFailed, "the server's answer for a part has no entity tag", source: address.description)
    }
    return MultipartUpload.Part(entityTag: tag, checksum: checksum)
  }

  private func complete(
    _ upload: String, _ parts: [MultipartUpload.Part]
  ) async throws(DownloadError) -> Outcome {
    let service = try downloader.objectService(for: address)
    let body = MultipartUpload.completion(of: parts)
    var request = ObjectRequest("POST", service.uploadURL(of: address, upload))
    request.fields = [HeaderField("Content-Type", "application/xml")]
    if let condition { request.fields.append(condition) }
    request.payload = ContentDigest(hashing: body).hex
    let answer = try await downloader.perform(
      ObjectOperation(request, body: .bytes(body)), on: address, accepting: [404, 409, 412])
    let said = ObjectStorageAnswer(status: answer.status, fields: answer.fields, prefix: answer.body)
    if said.code != nil { return try outcome(answer) }
    guard case .done(let field) = try outcome(answer) else { return try outcome(answer) }
    return .done(field ?? MultipartUpload.entityTag(in: answer.body))
  }

  /// Removes the parts, also if this task is cancelled.
  private func abort(_ upload: String) async {
    let abort = Task.detached { [downloader, address] in
      do {
        let service = try downloader.objectService(for: address)
        let request = ObjectRequest("DELETE", service.uploadURL(of: address, upload))
        _ = try await downloader.perform(ObjectOperation(request), on: address, accepting: [404])
      } catch {
        // The upload has failed already; the next run aborts what is left of it.
      }
    }
    let timer = Task.detached {
      try await Task.sleep(for: Self.abortPatience)
      abort.cancel()
    }
    await abort.value
    timer.cancel()
  }

  // MARK: Digests

  private func digest(from offset: Int, _ count: Int) async throws(DownloadError) -> ContentDigest {
    let result: Result<ContentDigest, SystemError> = await threads.run { [path = file.path] in
      Result { () throws(SystemError) in
        let file = try FileDescriptor(opening: path, O_RDONLY)
        var hasher = SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var position = offset
        while position < offset + count {
          let wanted = min(buffer.count, offset + count - position)
          let read = try SystemError.retrying {
            pread(file.number, buffer.baseAddress, wanted, off_t(position))
          }
          guard read > 0 else { throw SystemError(code: EIO) }
          hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<read]))
          position += read
        }
        return ContentDigest(hasher.finalize())
      }
    }
    do throws(SystemError) { return try result.get() } catch {
      throw DownloadError(
        .unreadable, "can't read what is to be sent: \(error.text)", source: address.description)
    }
  }

  private static func base64(_ digest: ContentDigest) -> String { base64(hex: digest.hex) }

  /// The value of a checksum's field for a digest in hexadecimal.
  static func base64(hex: String) -> String {
    let digits = Array(hex.utf8)
    let bytes = stride(from: 0, to: digits.count, by: 2).map { index in
      UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
    }
    return Data(bytes).base64EncodedString()
  }
}
