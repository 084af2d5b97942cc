import ObjectStorage
import Testing

@Suite("Addresses of objects", .timeLimit(.minutes(8)))
struct ObjectAddressTests {
  @Test(
    "a key is taken as it is written",
    arguments: [
      ("s3://photos/a.jpg", "photos", "a.jpg"), ("S3://photos/a.jpg", "photos", "a.jpg"),
      ("s3://b/a b+c=@'():&%41ü?x#y.png", "b", "a b+c=@'():&%41ü?x#y.png"),
      ("s3://b//a//../b", "b", "/a//../b"),
      ("s3://My_bucket.1/a/", "My_bucket.1", "a/"),
      ("s3://b/" + String(repeating: "é", count: 512), "b", String(repeating: "é", count: 512)),
    ])
  func parsing(text: String, bucket: String, key: String) throws {
    let address = try ObjectAddress(parsing: text)
    #expect(address.bucket == bucket)
    #expect(address.key == key)
  }

  @Test(
    "a text that names no object is refused in words",
    arguments: [
      ("https://a/b", "must begin with 's3://'"), ("s3:///a", "has no bucket"), ("s3://", "has no bucket"),
      ("s3://b", "names no object"), ("s3://b/", "names no object"), ("s3://a:b@c/d", "letters, digits"),
      ("s3://../a", "letters, digits"), ("s3://b/a\nb", "U+A,"), ("s3://b/\u{1B}[2J", "U+1B,"),
      ("s3://b/" + String(repeating: "a", count: 1025), "has 1025 bytes"),
    ])
  func mistakes(text: String, words: String) {
    #expect {
      try ObjectAddress(parsing: text)
    } throws: { error in
      (error as? ObjectAddress.Mistake)?.message.contains(words) == true
    }
  }

  @Test("a prefix may be empty")
  func prefix() throws {
    for (text, key) in [("s3://b", ""), ("s3://b/", ""), ("s3://b/photos/20", "photos/20")] {
      #expect(try ObjectAddress(parsingPrefix: text) == ObjectAddress(bucket: "b", key: key))
    }
  }
}
