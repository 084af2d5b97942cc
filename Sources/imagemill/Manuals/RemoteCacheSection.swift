/// REMOTE CACHE: what a server must do, and what is shared.
enum RemoteCacheSection {
  /// The section of a command; empty for commands that run no batch.
  static func text(of command: String) -> String {
    guard ["run", "pipe"].contains(command) else { return "" }
    return #"""
      .Sh REMOTE CACHE
      With
      .Fl \-remote\-cache ,
      an output that isn't in the cache is looked up on an HTTP server or in a bucket before it is rendered, and what is
      rendered is uploaded.
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
      bazel\-remote serves these paths, as does any HTTP server with GET and PUT, such as nginx:
      .Bd -literal -offset indent
      location /images/ {
          root /srv/cache;
          dav_methods PUT;
          create_full_put_path on;
          client_max_body_size 64m;
      }
      .Ed
      .Pp
      In Amazon S3 and compatible object storage,
      .Ql s3://bucket/prefix ,
      the paths are keys below the prefix, which is taken literally.
      Server, region and credentials are those of
      .Ql s3://
      sources; see
      .Xr imagemill-s3 7 .
      The credentials must allow
      .Ql s3:GetObject ,
      .Ql s3:ListBucket
      and, for uploads,
      .Ql s3:PutObject .
      Without
      .Ql s3:ListBucket ,
      S3 refuses requests for missing objects.
      A bucket that everyone may read and list needs no credentials with
      .Fl \-remote\-cache\-mode Cm read .
      Nothing is deleted: let a lifecycle rule expire the objects.
      .Pp
      .Fl \-allow\-net , \-allow\-host
      and
      .Fl \-deny\-host
      don't apply to the remote cache.
      .Pp
      Bytes that differ from their digest are discarded, and the output is rendered.
      Anyone who can write to the server or bucket can replace outputs: give write access only to machines that you trust.
      On other machines, use
      .Fl \-remote\-cache\-mode Cm read .
      .Pp
      An output is not uploaded if one of its sources is private:
      .Bl -dash -compact
      .It
      it was requested with credentials, a cookie, or any
      .Fl H
      header except
      .Ql Accept ,
      .Ql Accept\-Encoding ,
      .Ql Accept\-Language ,
      .Ql Cache\-Control ,
      .Ql Range
      and
      .Ql User\-Agent ;
      .It
      it was read from a bucket with credentials;
      .It
      its URL has a password, a signature or a token;
      .It
      its response has
      .Ql Cache\-Control: private
      or
      .Ql no\-store ;
      .It
      it is an output of the same run that is not uploaded.
      .El
      .Pp
      A server failure never fails an output.
      If the server refuses a lookup or an upload, requests of that kind stop for the rest of the run, with one warning.
      If the server is still busy after retries, requests pause for 2 seconds, then longer, up to a minute.
      Uploads wait for the end of the pause; outputs are rendered without a lookup.
      If the server can't be reached or doesn't answer within
      .Fl \-remote\-timeout ,
      or if the credentials, the bucket or its region are wrong, lookups and uploads stop.
      Lookups also stop when their total delay reaches
      .Fl \-remote\-timeout .
      .Cm plan
      and
      .Fl \-check
      don't ask the server.

      """#
  }
}
