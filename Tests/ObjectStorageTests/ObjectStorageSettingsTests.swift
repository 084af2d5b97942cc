import ObjectStorage
import Testing

@Suite("Settings of object storage", .timeLimit(.minutes(8)))
struct ObjectStorageSettingsTests {
  private func service(
    _ environment: [String: String], files: [String: String] = [:], endpoint: String? = nil,
    addressing: ObjectService.Addressing? = nil
  ) throws(ObjectStorageFailure) -> ObjectService {
    let settings = ObjectStorageSettings(
      environment: environment.merging(["HOME": "/home/me"]) { first, _ in first }, endpoint: endpoint,
      addressing: addressing)
    return try settings.service { path throws(ObjectStorageFailure) in files[path] }
  }

  private static let keys = ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret"]
  private static let credentials = "/home/me/.aws/credentials"
  private static let config = "/home/me/.aws/config"

  @Test("the environment's credentials come before the files'")
  func environment() throws {
    let files = [Self.credentials: "[default]\naws_access_key_id = A\naws_secret_access_key = B\n"]
    #expect(try service(Self.keys, files: files).accessKey == AccessKey(id: "AKID", secret: "secret"))
    let token = try service(Self.keys.merging(["AWS_SESSION_TOKEN": "t"]) { $1 }).accessKey
    #expect(token == AccessKey(id: "AKID", secret: "secret", token: "t"))
    #expect(try service([:], files: files).accessKey == AccessKey(id: "A", secret: "B"))
    #expect(try service(["AWS_ACCESS_KEY_ID": ""], files: files).accessKey?.id == "A")
    #expect(try service([:]).accessKey == nil)
  }

  @Test("a profile is put together from both files")
  func profiles() throws {
    let files = [
      Self.credentials: """
      # comment
      [default]
      aws_access_key_id=A
      aws_secret_access_key=B+/=#x
      [work]
      aws_access_key_id = C   ; mine
      aws_secret_access_key = D
      aws_session_token = E==
      """,
      Self.config: """
      [default]
      region = eu-central-1
      [profile  work]\r
      region = eu-west-1
      services = local
      s3 =
        addressing_style = virtual
        max_concurrent_requests = 20
      [services local]
      s3 =
        endpoint_url = http://127.0.0.1:8333/
      dynamodb =
        endpoint_url = http://127.0.0.1:1/
      """,
    ]
    let usual = try service([:], files: files)
    #expect(usual.accessKey == AccessKey(id: "A", secret: "B+/=#x"))
    #expect(
      usual.url(of: ObjectAddress(bucket: "b", key: "k")) == "https://b.s3.eu-central-1.amazonaws.com/k")
    let work = try service(["AWS_PROFILE": "work"], files: files)
    #expect(work.accessKey == AccessKey(id: "C", secret: "D", token: "E=="))
    #expect(work.region == "eu-west-1")
    #expect(work.url(of: ObjectAddress(bucket: "b", key: "k")) == "http://b.127.0.0.1:8333/k")
    #expect(try service(["AWS_PROFILE": "work", "AWS_REGION": "x-1"], files: files).region == "x-1")
    #expect(try service(["AWS_PROFILE": "work", "AWS_DEFAULT_REGION": "y-1"], files: files).region == "y-1")
  }

  @Test("variables name other files, and '~' is the home directory")
  func otherFiles() throws {
    let files = [
      "/home/me/c": "[default]\nregion = a-1",
      "/k": "[default]\naws_access_key_id=A\naws_secret_access_key=B",
    ]
    let found = try service(
      ["AWS_CONFIG_FILE": "~/c", "AWS_SHARED_CREDENTIALS_FILE": "/k"], files: files)
    #expect(found.region == "a-1" && found.accessKey?.id == "A")
  }

  @Test(
    "what can't be used is told in words",
    arguments: [
      (["AWS_ACCESS_KEY_ID": "A"], "", "AWS_SECRET_ACCESS_KEY isn't"),
      (["AWS_PROFILE": "none"], "", "no AWS profile 'none'"),
      ([:], "[default]\naws_access_key_id=A", "no aws_secret_access_key"),
      ([:], "[default]\nrole_arn=arn:x", "role_arn, which isn't supported"),
      ([:], "[default]\ncredential_process=x", "credential_process, which"),
      (["AWS_REGION": "a.evil.example/"], "", "isn't the name of a region"),
      (["AWS_ENDPOINT_URL": "localhost:8333"], "", "write 'http://localhost:8333'"),
      (["AWS_ENDPOINT_URL": "ftp://a"], "", "http or https URL"),
      (["AWS_ENDPOINT_URL": "http://a/?b"], "", "without a query"),
      (["AWS_ENDPOINT_URL": "http://me:s3cr3t@a/"], "", "can't have a user name"),
      ([:], "[default]\ns3 =\n  addressing_style = none", "addressing_style = none"),
    ] as [([String: String], String, String)])
  func mistakes(environment: [String: String], config: String, words: String) {
    #expect {
      try service(environment, files: config.isEmpty ? [:] : [Self.config: config])
    } throws: { error in
      let message = (error as? ObjectStorageFailure)?.message ?? ""
      return message.contains(words) && !message.contains("s3cr3t")
    }
  }

  @Test("the endpoint is that of the option, of S3's variable, of the common one, then of the profile")
  func endpoints() throws {
    let files = [Self.config: "[default]\nendpoint_url = http://profile"]
    let address = ObjectAddress(bucket: "b", key: "k")
    var environment = ["AWS_ENDPOINT_URL": "http://common", "AWS_ENDPOINT_URL_S3": "http://s3"]
    func url(_ endpoint: String? = nil) throws -> String {
      try service(environment, files: files, endpoint: endpoint).url(of: address)
    }
    #expect(try url("http://option:80/x/") == "http://option:80/x/b/k")
    #expect(try url() == "http://s3/b/k")
    environment["AWS_ENDPOINT_URL_S3"] = nil
    #expect(try url() == "http://common/b/k")
    environment["AWS_ENDPOINT_URL"] = nil
    #expect(try url() == "http://profile/b/k")
    environment["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "true"
    #expect(try url() == "https://b.s3.us-east-1.amazonaws.com/k")
    #expect(try url("http://option") == "http://option/b/k")
  }

  @Test("a bucket is named in the host at AWS where that is possible, and in the path elsewhere")
  func addressing() throws {
    func url(
      _ bucket: String, _ key: String = "k", endpoint: String? = nil, way: ObjectService.Addressing? = nil,
      region: String = "eu-west-1"
    ) throws -> String {
      try service(["AWS_REGION": region], endpoint: endpoint, addressing: way)
        .url(of: ObjectAddress(bucket: bucket, key: key))
    }
    #expect(try url("photos") == "https://photos.s3.eu-west-1.amazonaws.com/k")
    #expect(try url("photos", way: .path) == "https://s3.eu-west-1.amazonaws.com/photos/k")
    #expect(try url("my.photos") == "https://s3.eu-west-1.amazonaws.com/my.photos/k")
    #expect(try url("My_photos") == "https://s3.eu-west-1.amazonaws.com/My_photos/k")
    #expect(try url("photos", region: "cn-north-1") == "https://photos.s3.cn-north-1.amazonaws.com.cn/k")
    #expect(try url("photos", endpoint: "https://Example.com") == "https://example.com/photos/k")
    #expect(try url("photos", endpoint: "https://a:9/b", way: .virtual) == "https://photos.a:9/b/k")
    #expect(
      try url("b", "a b+c=@'():&%41ü//../?#.png", way: .path)
        == "https://s3.eu-west-1.amazonaws.com/b/a%20b%2Bc%3D%40%27%28%29%3A%26%2541%C3%BC//../%3F%23.png")
  }

  @Test("a listing's URL has the prefix and the page")
  func listings() throws {
    let address = ObjectAddress(bucket: "b", key: "a b/")
    let amazon = try service([:])
    #expect(
      amazon.listingURL(of: address)
        == "https://b.s3.us-east-1.amazonaws.com/?list-type=2&encoding-type=url&prefix=a%20b%2F")
    let local = try service([:], endpoint: "http://a")
    #expect(
      local.listingURL(of: ObjectAddress(bucket: "b", key: ""), continuation: "1/+=")
        == "http://a/b?list-type=2&encoding-type=url&continuation-token=1%2F%2B%3D")
  }

  @Test("a signature is in the fields alone, and a user's Authorization is left out")
  func signing() throws {
    let service = try service(Self.keys.merging(["AWS_SESSION_TOKEN": "t"]) { $1 })
    let fields = service.signed(
      [
        .init("Authorization", "Bearer x"), .init("Range", "bytes=1-"),
        .init("x-amz-request-payer", "requester"),
      ],
      url: "https://b.s3.us-east-1.amazonaws.com/k?x=1", by: service.accessKey, at: 0)
    let authorization = fields.values(of: "Authorization")
    #expect(authorization.count == 1)
    #expect(
      authorization.first?.contains(
        "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-request-payer;x-amz-security-token,")
        == true)
    #expect(fields.first("Range") == "bytes=1-" && fields.first("X-Amz-Security-Token") == "t")
    #expect(!"\(fields)".contains("secret"))
  }

  @Test("settings are read once, at the first use")
  func once() throws {
    let stores = ObjectStores(ObjectStorageSettings(environment: Self.keys, endpoint: "http://a"))
    #expect(try stores.service() === stores.service())
  }
}
