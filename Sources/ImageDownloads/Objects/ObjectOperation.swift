import Curl
import Glibc
package import ObjectStorage
import SystemIO
package import WebValues

/// A request to object storage other than a download. Two of them are never merged, and none is cached.
package final class ObjectOperation: Sendable {
  /// The body of a request.
  package enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// A part of a file that doesn't change, opened only while it is sent.
    case file(path: String, offset: Int, byteCount: Int)

    var byteCount: Int {
      switch self {
      case .none: 0
      case .bytes(let bytes): bytes.count
      case .file(_, _, let byteCount): byteCount
      }
    }
  }

  let request: ObjectRequest
  let body: Body

  /// The priority of operations among requests. They wait for no download, and aren't held back with downloads: what is
  /// finished must leave the machine before more can come.
  static let priority = Int.max

  /// The rate in bytes per second that an upload may have at least, whatever the time limit of a request is.
  private static let slowestRate = 128.0 * 1024

  package init(_ request: ObjectRequest, body: Body = .none) {
    self.request = request
    self.body = body
  }

  /// Sets the method, the body and the limits of a transfer.
  /// - Throws: `SystemError` if the file can't be opened.
  func prepare(_ options: inout TransferOptions) throws(SystemError) {
    options.method = request.method
    switch body {
    case .none: break
    case .bytes(let bytes): options.body = .bytes(bytes)
    case .file(let path, let offset, let byteCount):
      let file = try FileDescriptor(opening: path, O_RDONLY)
      options.body = .file(.init(file, offset: offset), byteCount: byteCount)
    }
    options.timeout = options.timeout.map { $0 + Double(body.byteCount) / Self.slowestRate }
  }
}

/// The answer to an operation.
package struct ObjectAnswer: Sendable {
  package let status: Int
  package let fields: [HeaderField]
  package let body: [UInt8]
  /// The server's time in seconds since 1970; nil if it doesn't tell.
  package let serverTime: Double?
}
