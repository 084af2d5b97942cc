import Testing

@testable import ImageDownloads

@Suite("Secrets of the URLs in a text")
struct SecretTextTests {
  @Test(
    "user names, passwords and tokens are hidden, also in URLs that are wrong or percent-encoded",
    arguments: [
      ("http://me:pw@h/x", "http://…@h/x"), ("'HTTPS://me@h'", "'HTTPS://…@h'"),
      ("http://me:p/w@h/x", "http://…@h/x"), ("http://me:p@w@h/x", "http://…@h/x"),
      ("s3://me:pw@b/k.png can't", "s3://…@b/k.png can't"), ("http:/me:pw@h", "http:/…@h"),
      ("http//me:pw@h", "http//…@h"), ("write 'http://http:/me:pw@h'", "write 'http://http:/…@h'"),
      ("overlay:http%3A//me%3Apw@h/x:nowhere", "overlay:http%3A//…@h/x:nowhere"),
      ("http%3A%2F%2Fme%3Apw%40h%2Fx", "http%3A%2F%2F…%40h%2Fx"),
      ("http://h/x?sig=1&w=2&token=3#f", "http://h/x?sig=…&w=2&token=…#f"),
      ("overlay:http%3A//h/x?token%3D1&w=2:center", "overlay:http%3A//h/x?token%3D…&w=2:center"),
      ("http://a:b@h/?u=http%3A//c%3Ad@i", "http://…@h/?u=http%3A//…@i"),
      ("a http://a:b@h b https://c:d@i", "a http://…@h b https://…@i"),
    ])
  func hidden(text: String, shown: String) {
    #expect(SecretText.hidden(in: text) == shown)
    #expect(SecretText.hidden(in: shown) == shown)
    let starred = SecretText.starred(in: text)
    #expect(starred.unicodeScalars.count == text.unicodeScalars.count)
    #expect(SecretText.hidden(in: starred) == starred)
  }

  @Test(
    "other texts stay",
    arguments: [
      "", "a@b", "http://h/a@2x.png", "x http://h:80/a@2x.png", "http://[::1]:80/a@b",
      "see http://h/a, mail a@b",
      "http/a@2x.png", "50%25 off = a@b", "http://h/x?width=4&format=png", "m.yaml:1:2: error: s3: a@b",
      "overlay:http%3A//h/x.png:center,text:a@b", "%", "%4", "://", "http://", "photos//a@2x.png",
      "srv/http/a@2x.png: decode: x", "srv/http//a@2x.png: decode: x", "photos3/a@2x.png: read: y",
      "http://[::1]/a@2x.png", "http://[fe80::abcd]/a@2x.png: read: z",
    ])
  func others(text: String) {
    #expect(SecretText.hidden(in: text) == text)
    #expect(SecretText.starred(in: text) == text)
  }
}
