import Crypto
import Foundation
import ObjectStorage
import SystemIO

/// An object that was put on the server.
public struct PutObject: Sendable {
  /// The bytes.
  public var body: [UInt8]
  /// The fields that were sent with it and that the object keeps, by their names in lower case.
  public var fields: [String: String] = [:]

  /// The object's entity tag.
  public var tag: String {
    let digest = Insecure.MD5.hash(data: body).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
    return "\"\(digest.joined())\""
  }
}

/// A multipart upload that was begun.
public struct BegunUpload: Sendable {
  /// `/bucket/key`.
  public var path: String
  /// When it began, in seconds since 1970.
  public var began: Double
  /// The fields that the object will keep.
  public var fields: [String: String]
  var parts: [Int: [UInt8]] = [:]

  /// An upload without parts.
  public init(path: String, began: Double, fields: [String: String]) {
    self.path = path
    self.began = began
    self.fields = fields
  }
}

/// What a server keeps.
struct KeptObjects: Sendable {
  var objects: [String: PutObject] = [:]
  var uploads: [String: BegunUpload] = [:]
  var lastUpload = 0

  /// The answer to a request that changes something; nil for another request.
  mutating func answer(_ request: Request, path: String, parameters: [String: String]) -> Page? {
    switch request.method {
    case "PUT":
      if let part = parameters["partNumber"].flatMap({ Int($0) }), let id = parameters["uploadId"] {
        return put(part, of: id, request)
      }
      return put(request.body, fields: Self.kept(request), at: path, request)
    case "POST" where parameters["uploads"] != nil:
      lastUpload += 1
      let id = "upload+\(lastUpload)/="
      uploads[id] = BegunUpload(path: path, began: Date().timeIntervalSince1970, fields: Self.kept(request))
      return Self.page(
        "<InitiateMultipartUploadResult><UploadId>\(id)</UploadId></InitiateMultipartUploadResult>")
    case "POST":
      return complete(parameters["uploadId"] ?? "", request)
    case "DELETE":
      if let id = parameters["uploadId"] {
        return uploads.removeValue(forKey: id) == nil
          ? ObjectServer.error("NoSuchUpload", status: 404) : Page(status: 204, reason: "No Content")
      }
      objects[path] = nil
      return Page(status: 204, reason: "No Content")
    case "GET" where parameters["uploads"] != nil:
      return listUploads(path, parameters["prefix"] ?? "")
    default: return nil
    }
  }

  static func page(_ text: String) -> Page {
    Page(Array("<?xml version=\"1.0\"?>\(text)".utf8), type: "application/xml")
  }

  private static func kept(_ request: Request) -> [String: String] {
    var fields: [String: String] = [:]
    for (name, value) in request.fields {
      let name = name.lowercased()
      let isKept =
        name.hasPrefix("x-amz-meta-") || ["content-type", "cache-control", "x-amz-acl"].contains(name)
      if isKept { fields[name] = value }
    }
    return fields
  }

  private func refusal(of request: Request, at path: String) -> Page? {
    let existing = objects[path]
    if request.field("If-None-Match") == "*", existing != nil {
      return ObjectServer.error("PreconditionFailed", status: 412)
    }
    if let tag = request.field("If-Match"), tag != existing?.tag {
      return ObjectServer.error("PreconditionFailed", status: 412)
    }
    return nil
  }

  /// Whether a checksum was sent that isn't the body's. As on S3, none need be sent.
  private static func hasWrongChecksum(_ request: Request) -> Bool {
    guard let checksum = request.field("x-amz-checksum-sha256") else { return false }
    return checksum != Data(SHA256.hash(data: request.body)).base64EncodedString()
  }

  private mutating func put(
    _ body: [UInt8], fields: [String: String], at path: String, _ request: Request
  ) -> Page {
    if let page = refusal(of: request, at: path) { return page }
    if request.method == "PUT", Self.hasWrongChecksum(request) {
      return ObjectServer.error("BadDigest", status: 400)
    }
    let object = PutObject(body: body, fields: fields)
    objects[path] = object
    return Page(fields: [("ETag", object.tag)])
  }

  private mutating func put(_ part: Int, of id: String, _ request: Request) -> Page {
    guard uploads[id] != nil else { return ObjectServer.error("NoSuchUpload", status: 404) }
    if Self.hasWrongChecksum(request) { return ObjectServer.error("BadDigest", status: 400) }
    uploads[id]?.parts[part] = request.body
    return Page(fields: [("ETag", "\"part-\(part)\"")])
  }

  private mutating func complete(_ id: String, _ request: Request) -> Page {
    guard let upload = uploads[id] else { return ObjectServer.error("NoSuchUpload", status: 404) }
    let text = String(decoding: request.body, as: UTF8.self)
    let named = text.split(separator: "<PartNumber>").dropFirst().compactMap { Int($0.prefix { $0 != "<" }) }
    guard named == upload.parts.keys.sorted(), named == Array(1...max(1, named.count)) else {
      return ObjectServer.error("InvalidPart", status: 400)
    }
    if let page = refusal(of: request, at: upload.path) { return page }
    uploads[id] = nil
    let object = PutObject(body: named.flatMap { upload.parts[$0] ?? [] }, fields: upload.fields)
    objects[upload.path] = object
    return Self.page(
      "<CompleteMultipartUploadResult><ETag>\(object.tag.replacing("\"", with: "&quot;"))</ETag>"
        + "</CompleteMultipartUploadResult>")
  }

  private func listUploads(_ path: String, _ prefix: String) -> Page {
    let bucket = path.hasSuffix("/") ? path : path + "/"
    let list = uploads.sorted { $0.key < $1.key }.compactMap { id, upload -> String? in
      guard upload.path.utf8.starts(with: (bucket + prefix).utf8) else { return nil }
      let key = PercentEncoding.encodedSegment(String(upload.path.dropFirst(bucket.count)))
      let time = ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: upload.began))
      return "<Upload><Key>\(key)</Key><UploadId>\(id)</UploadId><Initiated>\(time)</Initiated></Upload>"
    }
    return Self.page(
      "<ListMultipartUploadsResult><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>"
        + "\(list.joined())</ListMultipartUploadsResult>")
  }
}
