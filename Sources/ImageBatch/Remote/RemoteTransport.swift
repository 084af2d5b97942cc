import Curl
import Glibc
import ImageCaches
import SystemIO

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
    var options = configuration.options(for: "ac/\(key.hex)")
    options.byteLimit = RemoteRecord.byteLimit
    let received = ReceivedBytes()
    try await perform(options, into: RemoteSink(keep: received.append))
    guard let record = RemoteRecord(received.bytes) else {
      throw RemoteFailure(.wrong, "ac/\(key.hex) isn't a record of this version")
    }
    return record.output
  }

  /// Downloads the bytes of an output to a file, and checks their digest.
  func bytes(of output: StoredOutput, to path: TemporaryPath) async throws(RemoteFailure) {
    var options = configuration.options(for: "cas/\(output.digest.hex)")
    options.byteLimit = output.bytes
    let file: ReceivedFile
    do throws(SystemError) {
      file = try ReceivedFile(path)
    } catch {
      throw RemoteFailure(.local, error.text)
    }
    do throws(RemoteFailure) {
      try await perform(options, into: RemoteSink(keep: file.append))
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
    var options = configuration.options(for: "cas/\(object.digest.hex)")
    options.body = .file(.init(file), byteCount: object.byteCount)
    try await perform(options, into: RemoteSink())
  }

  /// Uploads the record of an output, after its bytes: a record must not name bytes that aren't there.
  func upload(_ record: RemoteRecord, for key: ContentDigest) async throws(RemoteFailure) {
    var options = configuration.options(for: "ac/\(key.hex)")
    do {
      options.body = .bytes(try record.bytes)
    } catch {
      throw RemoteFailure(.local, "\(error)")
    }
    try await perform(options, into: RemoteSink())
  }

  private func perform(_ options: TransferOptions, into sink: RemoteSink) async throws(RemoteFailure) {
    let status: Int
    do throws(CurlError) {
      status = try await engine.perform(options, into: sink).head.status
    } catch {
      // The body of an error response was too long to be dropped.
      if error.reason == .stoppedBySink, let status = error.status, status != 200 {
        throw RemoteFailure(status: status)
      }
      throw RemoteFailure(error)
    }
    guard (200..<300).contains(status) else { throw RemoteFailure(status: status) }
  }
}
