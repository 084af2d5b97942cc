import Curl
import Glibc
import ImageCaches
import ImageDownloads
import ObjectStorage
import SystemIO
import WebValues

/// Requests to the remote cache.
struct RemoteTransport: Sendable {
  let configuration: RemoteCacheConfiguration
  let engine: TransferEngine

  init(_ configuration: RemoteCacheConfiguration) throws(CurlError) {
    self.configuration = configuration
    engine = try TransferEngine(connectionLimit: configuration.connections * 5 / 4 + 1)
  }

  /// Downloads the record of an output.
  func record(_ key: ContentDigest) async throws(RemoteFailure) -> StoredOutput {
    let path = "ac/\(key.hex)"
    let accessKey = try await signingKey(for: path)
    var options = configuration.options(for: path, by: accessKey)
    options.byteLimit = RemoteRecord.byteLimit
    let received = ReceivedBytes()
    try await perform(options, .lookup, path, accessKey, into: RemoteSink(keep: received.append))
    guard let record = RemoteRecord(received.bytes) else {
      throw RemoteFailure(.wrong, "ac/\(key.hex) isn't a record of this version")
    }
    return record.output
  }

  /// Downloads the bytes of an output to a file, and checks their digest.
  func bytes(of output: StoredOutput, to destination: TemporaryPath) async throws(RemoteFailure) {
    let path = "cas/\(output.digest.hex)"
    let accessKey = try await signingKey(for: path)
    var options = configuration.options(for: path, by: accessKey)
    options.byteLimit = output.bytes
    let file: ReceivedFile
    do throws(SystemError) {
      file = try ReceivedFile(destination)
    } catch {
      throw RemoteFailure(.local, error.text)
    }
    do throws(RemoteFailure) {
      try await perform(options, .lookup, path, accessKey, into: RemoteSink(keep: file.append))
    } catch {
      throw file.error.map { RemoteFailure(.local, $0.text) } ?? error
    }
    guard file.isComplete(output) else {
      throw RemoteFailure(.wrong, "cas/\(output.digest.hex) has other bytes than its name says")
    }
  }

  /// Uploads the bytes of an output.
  func upload(_ object: StoredObject) async throws(RemoteFailure) {
    let file: FileDescriptor
    do throws(SystemError) {
      file = try FileDescriptor(opening: object.path, O_RDONLY)
    } catch {
      throw RemoteFailure(.local, error.text)
    }
    let body = TransferBody.file(.init(file), byteCount: object.byteCount)
    let path = "cas/\(object.digest.hex)"
    let accessKey = try await signingKey(for: path)
    try await perform(
      configuration.options(for: path, upload: (body, object.digest.hex), by: accessKey), .upload, path,
      accessKey, into: RemoteSink())
  }

  /// Uploads the record of an output, after its bytes: a record must not name bytes that aren't there.
  func upload(_ record: RemoteRecord, for key: ContentDigest) async throws(RemoteFailure) {
    let bytes: [UInt8]
    do {
      bytes = try record.bytes
    } catch {
      throw RemoteFailure(.local, "\(error)")
    }
    let path = "ac/\(key.hex)"
    let upload = (body: TransferBody.bytes(bytes), digest: ContentDigest(hashing: bytes).hex)
    let accessKey = try await signingKey(for: path)
    try await perform(
      configuration.options(for: path, upload: upload, by: accessKey), .upload, path, accessKey,
      into: RemoteSink())
  }

  private func perform(
    _ options: TransferOptions, _ operation: RemoteHealth.Operation, _ path: String, _ accessKey: AccessKey?,
    into sink: RemoteSink
  ) async throws(RemoteFailure) {
    let head: ResponseHead
    do throws(CurlError) {
      head = try await engine.perform(options, into: sink).head
    } catch {
      // The body of an error response was too long to be dropped, or for the limit of the object's size.
      if let status = error.status, status != 200,
        error.reason == .stoppedBySink || error.reason == .byteLimitExceeded
      {
        throw failure(status, fields: [], operation, path, accessKey, sink)
      }
      throw RemoteFailure(error)
    }
    guard (200..<300).contains(head.status) else {
      throw failure(head.status, fields: head.fields, operation, path, accessKey, sink)
    }
  }

  private func failure(
    _ status: Int, fields: [HeaderField], _ operation: RemoteHealth.Operation, _ path: String,
    _ accessKey: AccessKey?, _ sink: RemoteSink
  ) -> RemoteFailure {
    guard let (address, service) = configuration.object(for: path) else {
      return RemoteFailure(status: status, to: operation)
    }
    let now = SystemTime.now
    let serverTime = fields.first("Date").flatMap { HTTPDate.parse($0, now: Int(now)) }
    let answer = ObjectStorageAnswer(status: status, fields: fields, prefix: sink.startOfDropped)
      .hiding(configuration.fields.map(\.value) + [accessKey?.token ?? ""])
    if let accessKey { service.discard(accessKey, after: answer) }
    return RemoteFailure(
      answer, to: operation, of: address, by: service, serverTime: serverTime.map(Double.init), now: now)
  }

  /// The key that signs a request for a path; nil if it isn't signed.
  private func signingKey(for path: String) async throws(RemoteFailure) -> AccessKey? {
    guard let (_, service) = configuration.object(for: path) else { return nil }
    do throws(CredentialFailure) { return try await service.signingKey() } catch {
      if error.isCancelled { throw RemoteFailure(.ended, error.message) }
      throw RemoteFailure(error.isTemporary ? .busy : .rejected, error.message)
    }
  }
}
