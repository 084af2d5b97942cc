/// REMOTE CACHE: what a server must do, and what is shared.
enum RemoteCacheSection {
  /// The section of a command; empty for commands that run no batch.
  static func text(of command: String) -> String {
    guard ["run", "pipe"].contains(command) else { return "" }
    return #"""
      .Sh REMOTE CACHE
      With
      .Fl \-remote\-cache ,
      an output that isn't in the cache is looked up on an HTTP server before it is rendered, and what is rendered is
      uploaded.
      The source is still downloaded: the digest of its content is part of the output's key.
      The key includes the versions of imagemill, libvips and the codecs: only machines with the same versions share outputs.
      .Pp
      The paths are those of Bazel's HTTP cache:
      .Bl -tag -width Ds
      .It Pa ac/KEY
      the record of an output, an
      .Ql ActionResult
      of the Remote Execution API with the format and the size of the image
      .It Pa cas/SHA256
      the bytes of an output
      .El
      .Pp
      bazel\-remote serves them, and so does any server with GET and PUT, such as nginx:
      .Bd -literal -offset indent
      location /images/ {
          root /srv/cache;
          dav_methods PUT;
          create_full_put_path on;
          client_max_body_size 64m;
      }
      .Ed
      .Pp
      Bytes that differ from their digest are discarded, and the output is rendered.
      But whoever can write to the server determines which image an output has: allow only those whom you trust with the
      outputs, and give others
      .Fl \-remote\-cache\-mode Cm read .
      .Pp
      Outputs stay on this machine if one of their sources is private: a request for it had credentials, a cookie or another
      field set with
      .Fl H ,
      its URL has a password, signature or token, or the response has
      .Ql Cache\-Control: private
      or
      .Ql no\-store .
      .Pp
      No failure of the server fails an output.
      Lookups or uploads end for the rest of the run, with one warning, when the server refuses them, stays busy after
      retries, or doesn't answer within
      .Fl \-remote\-timeout .
      Lookups also end when together they have delayed the run by that time.
      .Cm plan
      and
      .Fl \-check
      don't ask the server.

      """#
  }
}
