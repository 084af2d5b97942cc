import SystemIO
package import WebValues

/// A request for an object or a bucket that is signed with its fields and the digest of its body.
package struct ObjectRequest: Hashable, Sendable {
  /// The method: `GET`, `HEAD`, `PUT`, `POST` or `DELETE`.
  package var method: String
  /// The absolute URL with its query.
  package var url: String
  /// The fields, all of which are signed.
  package var fields: [HeaderField] = []
  /// The body's SHA-256 in hexadecimal.
  package var payload = RequestSigner.emptyPayload

  package init(_ method: String, _ url: String) {
    self.method = method
    self.url = url
  }
}

extension ObjectService {
  /// The fields of a request with its signature, made for this moment; those of the request without credentials.
  /// - Parameters:
  ///   - accessKey: The key of ``ObjectService/signingKey()``.
  ///   - time: The time in seconds since 1970.
  package func signed(
    _ request: ObjectRequest, by accessKey: AccessKey?, at time: Double
  ) -> [HeaderField] {
    guard let accessKey else { return request.fields }
    let url = request.url
    let rest =
      url.utf8.firstIndex(of: UInt8(ascii: ":")).map { url.utf8.index($0, offsetBy: 3) } ?? url.startIndex
    let slash =
      url.utf8[rest...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? url.endIndex
    let question = url.utf8[slash...].firstIndex(of: UInt8(ascii: "?")) ?? url.endIndex
    let date = RequestSigner.date(time)
    var fields = request.fields
    fields.set("X-Amz-Date", date)
    fields.set("X-Amz-Content-Sha256", request.payload)
    if let token = accessKey.token { fields.set("X-Amz-Security-Token", token) }
    var signed = RequestSigner.Request(
      path: String(url[slash..<question]), fields: fields + [HeaderField("Host", String(url[rest..<slash]))])
    signed.method = request.method
    signed.payload = request.payload
    if question < url.endIndex { signed.query = String(url[url.utf8.index(after: question)...]) }
    let value = RequestSigner(region: region).authorization(signed, date: date, by: accessKey)
    return fields + [HeaderField("Authorization", value)]
  }

  /// The URL of a part of an upload (UploadPart), or with no number of the upload itself.
  /// - Parameters:
  ///   - upload: The upload's identifier.
  ///   - part: The part's number, from 1.
  package func uploadURL(of address: ObjectAddress, _ upload: String, part: Int? = nil) -> String {
    let number = part.map { "partNumber=\($0)&" } ?? ""
    return "\(url(of: address))?\(number)uploadId=\(PercentEncoding.encodedSegment(upload))"
  }

  /// The URL that begins a multipart upload (CreateMultipartUpload).
  package func uploadsURL(of address: ObjectAddress) -> String { url(of: address) + "?uploads=" }

  /// The URL of a page of the unfinished uploads of keys with a prefix (ListMultipartUploads).
  /// - Parameter marker: The last key and upload of the page before; nil for the first page.
  package func uploadsURL(below prefix: ObjectAddress, after marker: UnfinishedUploads.Marker? = nil)
    -> String
  {
    let bucket = listingURL(of: ObjectAddress(bucket: prefix.bucket, key: "")).prefix { $0 != "?" }
    var query = "encoding-type=url"
    if let marker {
      query += "&key-marker=" + PercentEncoding.encodedSegment(marker.key)
      if !prefix.key.isEmpty { query += "&prefix=" + PercentEncoding.encodedSegment(prefix.key) }
      query += "&upload-id-marker=" + PercentEncoding.encodedSegment(marker.upload)
    } else if !prefix.key.isEmpty {
      query += "&prefix=" + PercentEncoding.encodedSegment(prefix.key)
    }
    return "\(bucket)?\(query)&uploads="
  }
}
