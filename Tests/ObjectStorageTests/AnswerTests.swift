import ObjectStorage
import Testing
import WebValues

@Suite("Answers of object storage", .timeLimit(.minutes(8)))
struct AnswerTests {
  private let address = ObjectAddress(bucket: "photos", key: "a.jpg")

  private func words(
    _ status: Int, _ body: String, _ fields: [HeaderField] = [], isSigned: Bool = true,
    serverTime: Double? = nil
  ) -> String {
    ObjectStorageAnswer(status: status, fields: fields, prefix: Array(body.utf8))
      .words(for: address, isSigned: isSigned, serverTime: serverTime, now: 10_000)
  }

  private func error(_ code: String, _ rest: String = "") -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>\(code)</Code><Message>M &amp; m.</Message>\(rest)</Error>"
  }

  @Test(
    "a code that users meet is told in words",
    arguments: [
      (404, "NoSuchKey", "'photos' has no object with this key"), (404, "NoSuchBucket", "no bucket 'photos'"),
      (403, "AccessDenied", "credentials don't allow"), (400, "ExpiredToken", "token has expired"),
      (403, "InvalidAccessKeyId", "doesn't know the access key"),
      (403, "SignatureDoesNotMatch", "refused the signature"), (503, "SlowDown", "fewer requests"),
      (301, "PermanentRedirect", "another endpoint; check the endpoint and AWS_REGION"),
      (400, "RequestTimeout", "waited too long"), (403, "InvalidObjectState", "archived"),
      (400, "Odd", "the server returned 400 (Odd: M & m.)"),
    ])
  func codes(status: Int, code: String, text: String) {
    let words = words(status, error(code))
    #expect(words.contains(text))
    #expect(words.contains(code))
  }

  @Test("what repeats a secret is hidden")
  func secrets() {
    let body = Array(error("Odd", "<Region>hunter2</Region>").utf8)
    let answer = ObjectStorageAnswer(status: 400, fields: [], prefix: body)
    #expect(answer.hiding(["", "hunter3"]) == answer)
    let hidden = answer.hiding(["M & m", "hunter2"])
    #expect(hidden.code == "Odd" && hidden.message == nil && hidden.region == nil)
    #expect(answer.hiding(["Odd"]).code == nil)
  }

  @Test("another region is named, by the body or by a field")
  func regions() {
    let expected = "the bucket 'photos' is in the region 'eu-west-1'; set AWS_REGION to it"
    #expect(
      words(301, error("PermanentRedirect"), [.init("x-amz-bucket-region", "eu-west-1")]).hasPrefix(expected))
    #expect(
      words(400, error("AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>")).hasPrefix(expected))
    #expect(words(301, "", [.init("X-Amz-Bucket-Region", "eu-west-1")]) == expected)
    #expect(words(307, "").contains("another endpoint"))
  }

  @Test("the difference of the clocks is told")
  func clocks() {
    #expect(
      words(403, error("RequestTimeTooSkewed"), serverTime: 8800).contains("20 minutes ahead of the server's")
    )
    #expect(
      words(403, error("RequestTimeTooSkewed"), serverTime: 13_600).contains("60 minutes behind the server's")
    )
    #expect(words(403, error("RequestTimeTooSkewed")).contains("clock is wrong"))
  }

  @Test("without credentials, a refusal says so")
  func unsigned() {
    #expect(words(403, error("AccessDenied"), isSigned: false).contains("none are set"))
    #expect(words(403, "", isSigned: false).contains("none are set"))
  }

  @Test(
    "a body that isn't an error document leaves the status",
    arguments: ["", "<html><body>Bad", "{}", "<Error><Code></Code></Error>", "<Error><Code>No"])
  func others(body: String) {
    #expect(words(502, body) == "the server returned 502")
  }

  @Test("the codes that pass are temporary")
  func temporary() {
    func answer(_ code: String) -> ObjectStorageAnswer {
      ObjectStorageAnswer(status: 400, fields: [], prefix: Array(error(code).utf8))
    }
    #expect(answer("RequestTimeout").isTemporary && answer("SlowDown").isTemporary)
    #expect(!answer("ExpiredToken").isTemporary && !answer("NoSuchKey").isTemporary)
  }

  @Test("a page of a listing is read")
  func listing() throws {
    let body = """
      <?xml version="1.0" encoding="UTF-8"?>
      <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix/>
        <NextContinuationToken>t=1</NextContinuationToken><IsTruncated>true</IsTruncated>
        <EncodingType>url</EncodingType>
        <Contents><Key>a+b%2Bc/%C3%BC.jpg</Key><LastModified>2026-05-01T09:30:00.000Z</LastModified>
          <ETag>&quot;5d41&quot;</ETag><Size>12</Size><Owner><ID>x</ID></Owner></Contents>
        <Contents><Key>z</Key></Contents>
        <CommonPrefixes><Prefix>p/</Prefix></CommonPrefixes>
      </ListBucketResult>
      """
    let listing = try ObjectListing(parsing: Array(body.utf8))
    var first = ObjectListing.Object(key: "a b+c/ü.jpg")
    first.byteCount = 12
    first.modified = "2026-05-01T09:30:00.000Z"
    first.entityTag = "\"5d41\""
    #expect(listing.objects == [first, ObjectListing.Object(key: "z")])
    #expect(listing.continuation == "t=1")
    let raw = body.replacing("<EncodingType>url</EncodingType>", with: "").replacing(
      ">true<", with: ">false<")
    let last = try ObjectListing(parsing: Array(raw.utf8))
    #expect(last.objects.first?.key == "a+b%2Bc/%C3%BC.jpg" && last.continuation == nil)
  }

  @Test(
    "a listing that isn't whole is refused",
    arguments: [
      ("", "no list"), ("<html></html>", "no list"),
      ("<ListBucketResult><Contents>", "ends inside <Contents>"),
      ("<ListBucketResult></Wrong>", "doesn't match"),
      ("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", "doesn't name the next"),
    ])
  func damaged(body: String, words: String) {
    #expect {
      try ObjectListing(parsing: Array(body.utf8))
    } throws: { error in
      (error as? ObjectStorageFailure)?.message.contains(words) == true
    }
  }

  @Test("an upload's identifier is found under any root, and unfinished uploads are listed page by page")
  func uploads() throws {
    for root in ["InitiateMultipartUploadResult", "InitiateMultipartUpload"] {
      let body = Array("<\(root)><Key>a</Key><UploadId>x/1</UploadId></\(root)>".utf8)
      #expect(MultipartUpload.identifier(in: body) == "x/1")
    }
    #expect(MultipartUpload.identifier(in: Array("<Error><Code>No</Code></Error>".utf8)) == nil)
    let page = """
      <ListMultipartUploadsResult><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>
      <NextKeyMarker>a%2Bb</NextKeyMarker><NextUploadIdMarker>2</NextUploadIdMarker>
      <Upload><Key>a%2Bb+c</Key><UploadId>2</UploadId><Initiated>2026-05-01T09:30:00.000Z</Initiated></Upload>
      </ListMultipartUploadsResult>
      """
    let uploads = try UnfinishedUploads(parsing: Array(page.utf8))
    #expect(uploads.uploads.map(\.key) == ["a+b c"] && uploads.uploads.map(\.id) == ["2"])
    #expect(uploads.next?.key == "a+b" && uploads.next?.upload == "2")
    #expect(throws: ObjectStorageFailure.self) { try UnfinishedUploads(parsing: Array("<html></html>".utf8)) }
    // SeaweedFS names the time before the key.
    let other = (1...3).map {
      "<Upload><Initiated>2026-05-0\($0)T09:30:00Z</Initiated><Key>\($0)</Key><UploadId>u\($0)</UploadId></Upload>"
    }
    let list = "<ListMultipartUploadsResult>\(other.joined())</ListMultipartUploadsResult>"
    let found = try UnfinishedUploads(parsing: Array(list.utf8)).uploads
    #expect(found.map(\.key) == ["1", "2", "3"] && found.map(\.id) == ["u1", "u2", "u3"])
    #expect(found.map(\.initiated) == (1...3).map { "2026-05-0\($0)T09:30:00Z" })
  }
}
