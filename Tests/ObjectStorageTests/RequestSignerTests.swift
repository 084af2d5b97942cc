import ObjectStorage
import Testing
import WebValues

@Suite("Signatures of requests", .timeLimit(.minutes(2)))
struct RequestSignerTests {
  private let suiteKey = AccessKey(id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
  private let documentedKey = AccessKey(
    id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")

  @Test("AWS's test suite passes", arguments: SigningVector.suite)
  func suite(vector: SigningVector) {
    let signer = RequestSigner(region: "us-east-1", service: "service")
    let value = signer.authorization(vector.request, date: "20150830T123600Z", by: suiteKey)
    #expect(value.hasSuffix("Signature=\(vector.signature)"), "\(RequestSigner.canonical(vector.request))")
    #expect(
      value.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "))
  }

  /// The examples of "Authenticating Requests: Using the Authorization Header" in Amazon S3's API reference.
  private static let documented: [SigningVector] = {
    let date = HeaderField("x-amz-date", "20130524T000000Z")
    let host = HeaderField("Host", "examplebucket.s3.amazonaws.com")
    let empty = HeaderField("x-amz-content-sha256", RequestSigner.emptyPayload)
    let body = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
    return [
      SigningVector(
        "GET Object", "GET", "/test.txt", [host, HeaderField("Range", "bytes=0-9"), empty, date],
        signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
      SigningVector(
        "PUT Object", "PUT", "/test$file.text",
        [
          host, date, HeaderField("Date", "Fri, 24 May 2013 00:00:00 GMT"),
          HeaderField("x-amz-storage-class", "REDUCED_REDUNDANCY"), HeaderField("x-amz-content-sha256", body),
        ], payload: body, signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
      SigningVector(
        "GET Bucket Lifecycle", "GET", "/", query: "lifecycle", [host, empty, date],
        signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
      SigningVector(
        "Get Bucket (List Objects)", "GET", "/", query: "max-keys=2&prefix=J", [host, empty, date],
        signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]
  }()

  @Test("the examples of S3's documentation pass", arguments: documented)
  func documentation(vector: SigningVector) {
    let value = RequestSigner(region: "us-east-1").authorization(
      vector.request, date: "20130524T000000Z", by: documentedKey)
    #expect(value.hasSuffix("Signature=\(vector.signature)"), "\(RequestSigner.canonical(vector.request))")
  }

  @Test(
    "a date has the basic form of ISO 8601",
    arguments: [
      (0.0, "19700101T000000Z"), (1_440_938_160.9, "20150830T123600Z"), (951_782_399, "20000228T235959Z"),
      (951_782_400, "20000229T000000Z"),
    ])
  func date(seconds: Double, text: String) {
    #expect(RequestSigner.date(seconds) == text)
  }

  @Test("no text of an access key has its secret or its token")
  func secrecy() {
    let key = AccessKey(id: "AKID", secret: "s3cr3t", token: "t0k3n")
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped] {
      #expect(!text.contains("s3cr3t") && !text.contains("t0k3n"), "\(text)")
    }
  }
}
