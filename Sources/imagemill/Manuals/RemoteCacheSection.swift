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
      Anyone who can write to the server can replace outputs: give write access only to machines that you trust, and use
      others with
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
      A server failure never fails an output.
      If the server refuses requests, stays busy after retries, or exceeds
      .Fl \-remote\-timeout ,
      lookups or uploads stop for the rest of the run, with one warning.
      Lookups also stop once they have delayed the run by that time in total.
      .Cm plan
      and
      .Fl \-check
      don't ask the server.

      """#
  }
}
