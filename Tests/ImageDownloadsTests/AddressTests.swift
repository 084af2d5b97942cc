import Curl
import TestSupport
import Testing

@testable import ImageDownloads

@Suite("URLs, policies, proxies and credentials", .timeLimit(.minutes(8)))
struct AddressTests {
  @Test("a URL is normalised, and its user name and password are in none of its texts")
  func urls() throws {
    let address = try #require(WebAddress("HTTP://me:s3cr%40t@EXAMPLE.org:80/a b/ü?x=1#frag"))
    #expect(address.description == "http://example.org/a%20b/%C3%BC?x=1")
    #expect(address.credential == .init(user: "me", password: "s3cr@t"))
    #expect(WebAddress("https://[2001:DB8::1]:8443/x")?.origin == "https://[2001:db8::1]:8443")
    #expect(WebAddress("http://example.org")?.description == "http://example.org/")
    #expect(WebAddress("http://example.org?q")?.target == "/?q")
    let signed = WebAddress("https://h/x?width=3&X-Amz-Signature=abc&token=t")
    #expect(signed?.displayText == "https://h/x?width=3&X-Amz-Signature=…&token=…")
    for broken in [
      "http://", "http:///a", "ftp://h/", "http://h:0/", "http://h:99999/", "http://h:x/", "http://a b/", "h",
      "http://h\\@evil/", "http://h../", "http://../",
    ] {
      #expect(WebAddress(broken) == nil, "\(broken)")
    }
  }

  @Test("what isn't the public Internet is refused, in every form of the address")
  func special() throws {
    let policy = AddressPolicy()
    for text in [
      "127.0.0.1", "10.1.2.3", "172.31.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "169.254.7.7",
      "0.0.0.0",
      "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255", "168.63.129.16", "100.100.100.200", "::",
      "::1",
      "::ffff:127.0.0.1", "::ffff:168.63.129.16", "::ffff:0:8.8.8.8", "::ffff:0:127.0.0.1",
      "64:ff9b::10.0.0.1",
      "64:ff9b::a83f:8110", "64:ff9b:1::8.8.8.8", "2002:7f00:1::", "fc00::1", "fd00:ec2::254", "fe80::1",
      "fec0::1",
      "3fff::1", "3fff:fff::1", "5f00::1", "100::1", "100:0:0:1::1", "192.88.99.1", "2001::1", "2001:db8::1",
      "ff02::1",
    ] {
      #expect(!policy.allows(try #require(IPAddress(text)), for: "h"), "\(text)")
    }
    for text in [
      "8.8.8.8", "168.63.129.17", "::ffff:8.8.8.8", "2606:4700::1111", "64:ff9b::8.8.8.8", "3ffe::1",
    ] {
      #expect(policy.allows(try #require(IPAddress(text)), for: "h"), "\(text)")
    }
  }

  @Test(
    "private networks are allowed without links' own and without clouds' metadata services, which only CIDRs open"
  )
  func privateNetworks() throws {
    var policy = AddressPolicy()
    _ = policy.allow("private")
    for text in [
      "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "fc00::1", "fd12::1", "::ffff:10.0.0.1",
      "8.8.8.8",
    ] {
      #expect(policy.allows(try #require(IPAddress(text)), for: "h"), "\(text)")
    }
    let closed = [
      "127.0.0.1", "::1", "0.0.0.0", "169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe",
      "169.254.170.2",
      "169.254.1.1", "fe80::1", "fd00:ec2::254", "fd20:ce::254", "168.63.129.16", "100.100.100.200",
      "192.0.0.192",
      "fec0::1",
    ]
    for text in closed {
      let address = try #require(IPAddress(text))
      #expect(!policy.allows(address, for: "h"), "\(text)")
      if case .specialAddress(_, .privateUse) = policy.refusal(of: address).reason {
        Issue.record("\(text) is private")
      }
      var opened = policy
      let isCIDR = opened.allow("\(address.unwrapped)")
      #expect(isCIDR)
      #expect(opened.allows(address, for: "h"), "\(text)")
      opened = policy
      _ = opened.allow("all")
      #expect(opened.allows(address, for: "h"), "\(text)")
    }
  }

  @Test("a denied address is denied in every notation, behind every name, and whatever is allowed")
  func deniedAddress() throws {
    let notations = [
      "93.184.216.34", "1572395042", "0x5db8d822", "0135.0270.0330.042", "93.12113954", "93.184.55330",
      "0x5d.184.0xd8.34",
      "93.184.216.34.", "::ffff:93.184.216.34", "[::ffff:5db8:d822]", "[64:ff9b::5db8:d822]",
    ]
    for pattern in notations where !pattern.hasPrefix("[") {
      var policy = AddressPolicy()
      policy.deniedHosts = [pattern]
      policy.typedHosts = ["93.184.216.34", "example.com"]
      _ = policy.allow("all")
      for host in notations { #expect(policy.refusal(ofHost: host) != nil, "\(pattern): \(host)") }
      #expect(!policy.allows(try #require(IPAddress("93.184.216.34")), for: "example.com"), "\(pattern)")
      #expect(policy.refusal(ofHost: "93.184.216.35") == nil && policy.refusal(ofHost: "example.com") == nil)
    }
    var policy = AddressPolicy()
    policy.deniedHosts = ["93.184.*"]
    for host in notations { #expect(policy.refusal(ofHost: host) != nil, "\(host)") }
    policy = AddressPolicy()
    policy.allowedHosts = ["93.184.216.34"]
    for host in notations { #expect(policy.refusal(ofHost: host) == nil, "\(host)") }
    // A literal address needs no resolver, so it is judged by name too: a proxy would be asked otherwise.
    for host in ["2130706433", "0x7f.1", "127.1", "[::1]"] {
      guard case .specialAddress(_, .loopback)? = AddressPolicy().refusal(ofHost: host)?.reason else {
        Issue.record("\(host) isn't known to be this machine")
        continue
      }
    }
  }

  @Test("references are resolved as RFC 3986 §5.4 does")
  func resolving() throws {
    let base = try #require(WebAddress("http://a/b/c/d;p?q"))
    let expected = [
      "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g",
      "//g": "http://g/",
      "?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q",
      "": "http://a/b/c/d;p?q",
      ".": "http://a/b/c/", "..": "http://a/b/", "../g": "http://a/b/g", "../../g": "http://a/g",
      "../../../g": "http://a/g", "/./g": "http://a/g", "http://x/y": "http://x/y",
      "g?y/../x": "http://a/b/c/g?y/../x",
    ]
    for (reference, url) in expected {
      #expect(base.resolving(reference)?.description == url, "\(reference)")
    }
    #expect(base.resolving("file:///etc/passwd") == nil)
  }

  @Test("sources are read from a user's text, and shown without secrets")
  func sources() throws {
    #expect(try ImageSource(parsing: "-") == .standardInput)
    #expect(try ImageSource(parsing: "a/b.png") == .file("a/b.png"))
    #expect(try ImageSource(parsing: "b.png", relativeTo: "/x") == .file("/x/b.png"))
    #expect(try ImageSource(parsing: "file:///a%20b.png") == .file("/a b.png"))
    #expect(try ImageSource(parsing: "http://u:p@h/x.png").displayText == "http://h/x.png")
    let source = try ImageSource(parsing: "https://h.example/dir/sub/photo.final.jpg?w=1")
    #expect(
      source.fileName == "photo.final" && source.directoryPath == "dir/sub" && source.host == "h.example")
    for broken in ["", "ftp://h/x", "http://", "file://other/x"] {
      #expect(throws: DownloadError.self) { try ImageSource(parsing: broken) }
    }
    let error = #expect(throws: DownloadError.self) { try ImageSource(parsing: "ftp://user:secret@h/x") }
    #expect(error?.message.contains("secret") == false)
  }

  @Test(
    "only public addresses are reached, IPv4 inside IPv6 included",
    arguments: [
      "127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
      "10.1.2.3",
      "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::",
      "224.0.0.1",
      "255.255.255.255", "fc00::1", "fe80::1", "ff02::1", "2001:db8::1", "198.18.0.1", "::ffff:10.0.0.1",
    ])
  func refused(_ text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(!AddressPolicy().allows(address, for: "host"))
    var everything = AddressPolicy()
    let isWord = everything.allow("all")
    #expect(isWord)
    #expect(everything.allows(address, for: "host"))
  }

  @Test("public addresses, and those of an allowed network, are reached")
  func allowed() throws {
    for text in ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::808:808"] {
      #expect(AddressPolicy().allows(try #require(IPAddress(text)), for: "host"), "\(text)")
    }
    var policy = AddressPolicy()
    let known = ["10.0.0.0/8", "loopback", "10.0.0.0/33", "x"].map { policy.allow($0) }
    #expect(known == [true, true, false, false])
    for text in ["10.200.0.1", "::ffff:10.0.0.1", "127.0.0.2", "::1"] {
      #expect(policy.allows(try #require(IPAddress(text)), for: "host"), "\(text)")
    }
    #expect(!policy.allows(try #require(IPAddress("192.168.0.1")), for: "host"))
  }

  @Test("hosts are allowed and denied by pattern")
  func patterns() {
    var policy = AddressPolicy()
    policy.allowedHosts = ["*.example.org", "cdn?.net"]
    policy.deniedHosts = ["bad.example.org"]
    #expect(policy.refusal(ofHost: "a.b.example.org") == nil && policy.refusal(ofHost: "cdn1.net") == nil)
    #expect(policy.refusal(ofHost: "bad.example.org")?.reason == .deniedHost(pattern: "bad.example.org"))
    #expect(policy.refusal(ofHost: "example.org")?.reason == .unlistedHost("example.org"))
  }

  @Test("netrc: hosts, default, quotes, comments and macros")
  func netrc() {
    let netrc = Netrc(
      parsing: """
        # a comment
        machine one.example login ada password "with space\\"quote"
        macdef init
          machine fake login x

        machine two.example
          login bob
          password pw # trailing
        default login anonymous password me@here
        """)
    #expect(netrc.credential(for: "one.example") == .init(user: "ada", password: "with space\"quote"))
    #expect(netrc.credential(for: "two.example") == .init(user: "bob", password: "pw"))
    #expect(netrc.credential(for: "fake") == .init(user: "anonymous", password: "me@here"))
  }

  @Test("proxies come from the environment as curl reads it, with no_proxy's exceptions")
  func proxies() throws {
    let settings = ProxySettings(environment: [
      "http_proxy": "http://p:1", "HTTP_PROXY": "http://evil:1", "HTTPS_PROXY": "http://p:2",
      "no_proxy": "local, .internal.example,10.0.0.0/8,h.example:8080",
    ])
    func proxy(_ url: String) throws -> String? { settings.proxy(for: try #require(WebAddress(url))) }
    #expect(try proxy("http://example.org/") == "http://p:1")
    #expect(try proxy("https://example.org/") == "http://p:2")
    for direct in [
      "http://local/", "http://a.local/", "http://internal.example/", "http://10.2.3.4/",
      "http://h.example:8080/",
    ] {
      #expect(try proxy(direct) == nil, "\(direct)")
    }
    #expect(try proxy("http://h.example/") == "http://p:1")
    #expect(try proxy("http://notlocal/") == "http://p:1")
  }

  @Test("what is meant for one origin is sent to that origin, and the cache's key tells nothing of it")
  func origins() throws {
    var configuration = ImageDownloader.Configuration()
    configuration.headers = [HeaderField("X-Api-Key", "k")]
    configuration.credential = .init(user: "u", password: "p")
    configuration.origins["https://cdn.example"] = {
      var settings = OriginSettings()
      settings.headers = [HeaderField("Authorization", "Bearer t")]
      return settings
    }()
    let home = try #require(WebAddress("https://home.example/a"))
    let key = RequestKey(source: .url(home.description), headers: [], cacheMode: .standard)
    var state = RequestState(key, originalURL: home)
    let first = OutgoingRequest(state, configuration: configuration)
    #expect(first.fields.first("X-Api-Key") == "k" && first.credential?.user == "u")
    state.url = try #require(WebAddress("https://cdn.example/a"))
    let second = OutgoingRequest(state, configuration: configuration)
    #expect(second.fields.first("X-Api-Key") == nil && second.credential == nil)
    #expect(second.fields.first("Authorization") == "Bearer t")
    state.url = try #require(WebAddress("https://home.example:444/a"))
    let third = OutgoingRequest(state, configuration: configuration)
    #expect(
      third.fields.first("X-Api-Key") == nil && third.fields.first("Authorization") == nil
        && third.credential == nil)
    #expect(first.key(home, salt: [1]) != first.key(home, salt: [2]))
    configuration.credential = .init(user: "u", password: "other")
    state.url = home
    #expect(
      OutgoingRequest(state, configuration: configuration).key(home, salt: [1])
        != first.key(home, salt: [1]))
  }

  @Test("retry waits grow with jitter up to their cap; Retry-After is read as seconds and as a date")
  func retries() {
    let policy = RetryPolicy(base: 0.5, cap: 60)
    var generator = SeededRandom(seed: SeededRandom.seed)
    var previous: Double?
    for _ in 0..<200 {
      let wait = policy.wait(after: previous, using: &generator)
      #expect(wait >= 0.25 && wait <= min(60, max(0.5, (previous ?? 0) * 3)))
      previous = wait
    }
    #expect(RetryPolicy.retryAfter("120", now: 0) == 120)
    #expect(RetryPolicy.retryAfter("Sun, 06 Nov 1994 08:49:37 GMT", now: 784_111_770) == 7)
    #expect(RetryPolicy.retryAfter("soon", now: 0) == nil)
    var budget = RetryBudget(initial: 2, perRequest: 0.5)
    let first = (0..<3).map { _ in budget.spend() }
    #expect(first == [true, true, false])
    budget.earn()
    budget.earn()
    let second = (0..<2).map { _ in budget.spend() }
    #expect(second == [true, false])
  }

  @Test("ranges: only the rest of the same representation is taken for the rest")
  func ranges() {
    func outcome(_ status: Int, _ fields: [(String, String)], total: Int? = 100) -> RangeOutcome {
      RangeOutcome(
        ResponseHead(status: status, fields: fields.map { HeaderField($0.0, $0.1) }), received: 40,
        total: total,
        validator: "\"v\"")
    }
    #expect(outcome(206, [("Content-Range", "bytes 40-99/100"), ("ETag", "\"v\"")]) == .rest)
    #expect(outcome(200, [("Content-Range", "bytes 40-99/100")]) == .rest)
    #expect(outcome(200, []) == .whole)
    #expect(outcome(206, [("Content-Range", "bytes 40-99/100"), ("ETag", "\"w\"")]) == .restart)
    #expect(outcome(206, [("Content-Range", "bytes 39-99/100")]) == .restart)
    #expect(outcome(206, [("Content-Range", "bytes 40-98/100")]) == .restart)
    #expect(outcome(206, [("Content-Range", "bytes 40-109/110")]) == .restart)
    #expect(outcome(206, []) == .restart)
    #expect(outcome(416, [("Content-Range", "bytes */100")]) == .restart)
    #expect(outcome(206, [("Content-Range", "bytes 40-99/*")], total: nil) == .rest)
  }
}
