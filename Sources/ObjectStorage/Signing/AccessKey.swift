/// The credentials of AWS's protocols.
package struct AccessKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// The public part, which requests name.
  package let id: String
  /// The secret that signs requests, and is never sent.
  package let secret: String
  /// The token of temporary credentials, which is sent and signed; nil for lasting ones.
  package let token: String?

  package init(id: String, secret: String, token: String? = nil) {
    self.id = id
    self.secret = secret
    self.token = token
  }

  /// Only the public part: a log or a failed assertion shows no secret.
  package var description: String { "access key \(id)" }

  package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
