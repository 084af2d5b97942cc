/// imagemill-s3(7).
enum ObjectStoragePage {
  static let text =
    ManualPage.head("IMAGEMILL-S3", section: 7)
      + #"""
      .Sh NAME
      .Nm imagemill-s3
      .Nd sources, outputs and a remote cache in Amazon S3 and compatible object storage
      .Sh DESCRIPTION
      A source may be an object, written as an S3 URL,
      .Ql s3://bucket/key ,
      in an argument, a manifest, a table, a list or an overlay.
      As in the AWS CLI, everything after
      .Ql s3://bucket/
      is the key, taken literally:
      .Ql %20 ,
      .Ql \&.. ,
      .Ql //
      and
      .Ql \&?
      have no special meaning.
      .Pp
      An object is downloaded like any other source: in the same queue, with the same limits, retries and timeouts.
      It is downloaded once; other jobs and later runs use the cache.
      An interrupted download is resumed if the object hasn't changed.
      The hosts that may be reached are limited by
      .Fl \-allow-net , \-allow-host
      and
      .Fl \-deny-host ;
      a server on this machine needs
      .Fl \-allow-net Cm loopback .
      .Pp
      .Cm imagemill ls
      lists the objects of a bucket for
      .Cm imagemill pipe .
      .Ss Outputs
      An output is uploaded to an object if its template begins with
      .Ql s3:// ,
      as in
      .Fl o Ql s3://bucket/{dir}/{name}.webp ,
      or if the output directory is a bucket, with or without a prefix:
      .Fl C Ql s3://bucket/prefix .
      .Cm run , pipe
      and
      .Cm convert
      upload.
      The bucket must be literal text.
      In a template that begins with
      .Ql s3:// ,
      the text after the bucket is a key, which is taken literally, apart from fields.
      With
      .Fl C Ql s3://bucket/prefix ,
      the template is a path inside the prefix:
      .Ql a//b
      and
      .Ql a/./b
      are the same object, and
      .Ql \&..
      can't leave the prefix.
      If the manifest, and not the command line, names the bucket of an output,
      .Fl \-allow-outside
      is needed.
      .Pp
      An object appears whole or not at all.
      An output of up to 64 MiB is uploaded in one request, a longer one in parts of 16 MiB, four at a time.
      A failure or a signal aborts a multipart upload.
      If a run is killed, its unfinished uploads remain.
      The next run that uploads below the same prefix aborts them, if the credentials may list multipart uploads.
      This also aborts multipart uploads of an earlier run that is still active; that run restarts them.
      Each request has the SHA-256 of its body in the signature and as
      .Ql x-amz-checksum-sha256 .
      .Pp
      Objects have the
      .Ql Content-Type
      of their format, the headers of
      .Fl \-s3-header ,
      and the metadata
      .Ql imagemill-key
      (a digest of source, filters and encoder options) and
      .Ql imagemill-sha256
      (that of the object).
      .Fl \-s3-header
      sets
      .Ql Cache-Control ,
      metadata
      .Pq Ql x-amz-meta-NAME ,
      the ACL
      .Pq Ql x-amz-acl
      or the storage class
      .Pq Ql x-amz-storage-class .
      Objects that are up to date keep their headers.
      To change them, use
      .Fl \-force ,
      which uploads every output again.
      .Pp
      An output is up to date if its object's
      .Ql imagemill-key
      matches, or if the object is unchanged since this machine uploaded it.
      No object is downloaded for this check.
      The first 20 outputs below a prefix take one HEAD request each.
      For more outputs, the prefix is listed once, 1,000 objects per request, and HEAD requests are sent only for
      objects that differ from the cache's record, or have none.
      The prefix is that of
      .Fl C ,
      or the literal directories of the template.
      If the server refuses both HEAD and list requests, outputs are uploaded again, with a warning.
      .Cm plan ,
      .Fl \-check , \-dry-run
      and
      .Fl \-why
      look at objects in the same way.
      .Pp
      With
      .Fl \-no-clobber ,
      an existing object without imagemill's metadata is kept, and uploads are conditional
      .Pq Ql If-None-Match No or Ql If-Match ;
      the server must support that.
      An output that would replace a source of the run is refused without
      .Fl \-in-place .
      .Fl \-durability
      makes no difference: an upload that has succeeded is stored.
      .Pp
      Uploads share the limits, timeouts and retries of downloads, such as
      .Fl \-per-host
      and
      .Fl \-retries ,
      and have priority over downloads.
      .Fl \-timeout
      grows with the size of the upload, by a second for each 128 KiB.
      .Fl H
      headers are not sent with uploads.
      .Pp
      With outputs in object storage,
      .Fl \-prune , \-offline ,
      and
      .Fl \-lock
      without
      .Fl \-frozen
      are refused, and so are jobs whose source is another job's output.
      .Fl \-emit
      needs
      .Fl C ,
      and
      .Ql url-prefix
      in the manifest for URLs that browsers can load.
      HTML reports don't show images that are stored as objects.
      .Ss Credentials
      The first of these that is set is used:
      .Bl -tag -width Ds
      .It environment
      .Ev AWS_ACCESS_KEY_ID
      and
      .Ev AWS_SECRET_ACCESS_KEY ,
      with
      .Ev AWS_SESSION_TOKEN
      for temporary credentials
      .It credentials file
      the profile in
      .Ev AWS_PROFILE
      or
      .Ev AWS_DEFAULT_PROFILE
      (default:
      .Ql default )
      in
      .Pa ~/.aws/credentials
      .It configuration file
      the same profile in
      .Pa ~/.aws/config
      .El
      .Pp
      Without credentials, requests are not signed, which works for public buckets.
      Profiles that use a role,
      .Ql credential_process
      or SSO are not supported; export their credentials to the environment:
      .Pp
      .Dl eval "$(aws configure export-credentials --format env)"
      .Pp
      With
      .Fl \-s3-credentials Cm instance ,
      .Nm imagemill
      ignores these and uses the credentials of the container or instance:
      .Bl -tag -width Ds
      .It container (ECS, EKS Pod Identity)
      from the URL
      .Ev AWS_CONTAINER_CREDENTIALS_RELATIVE_URI
      (at 169.254.170.2) or
      .Ev AWS_CONTAINER_CREDENTIALS_FULL_URI ,
      with the authorization in the file
      .Ev AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE
      or in
      .Ev AWS_CONTAINER_AUTHORIZATION_TOKEN
      .It instance (EC2)
      otherwise, from the instance metadata service at
      .Ev AWS_EC2_METADATA_SERVICE_ENDPOINT
      (default: 169.254.169.254, or fd00:ec2::254 if
      .Ev AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE
      is
      .Ql IPv6 )
      .El
      .Pp
      Only version 2 of the instance metadata service (IMDSv2) is used.
      If it gives no token, the sources fail; version 1 is not tried.
      In a container on an instance, the instance needs a hop limit of 2.
      Plain http is allowed only for this machine's own addresses and AWS's link-local ones; no proxy is used.
      .Fl \-s3-credentials Cm instance
      doesn't let sources reach these addresses.
      Each process requests credentials once, when it signs its first request, and renews them 15 minutes before they
      expire by the server's clock.
      A request to the service is tried three times, for 2 seconds each.
      Set
      .Ev AWS_REGION :
      the region of an instance isn't looked up.
      .Pp
      Requests are signed with AWS Signature Version 4 when they are sent.
      The secret never leaves this machine, and neither it nor a signature is in the cache, a log or a report.
      .Fl H
      headers, except
      .Ql Authorization ,
      are sent with downloads and listings.
      Those whose names begin with
      .Ql x-amz- ,
      such as
      .Ql x-amz-request-payer: requester ,
      are signed.
      .Fl \-user
      and
      .Fl \-netrc
      don't apply.
      .Pp
      Cached responses are kept separate for each access key, and with
      .Fl \-s3-credentials Cm instance
      for each instance or container URL.
      Outputs made from signed requests are private: they are never sent to a
      .Fl \-remote-cache ,
      even in the same bucket.
      .Ss Server and region
      The server is the first of these that is set:
      .Fl \-s3-endpoint ,
      .Ev AWS_ENDPOINT_URL_S3 ,
      .Ev AWS_ENDPOINT_URL ,
      .Ql endpoint_url
      of the profile's
      .Ql services
      section or of the profile; else AWS.
      .Pp
      The region is that of
      .Ev AWS_REGION ,
      .Ev AWS_DEFAULT_REGION
      or the profile (default: us-east-1).
      If a bucket is in another region, the error names it.
      .Pp
      AWS requests use virtual-hosted-style addressing, unless the bucket name has a dot, a capital letter or an underscore;
      other servers use path-style.
      .Fl \-s3-addressing
      or
      .Ql s3.addressing_style
      in the profile overrides this.
      .Ss Remote cache
      .Fl \-remote-cache Ar s3://bucket/prefix
      shares rendered outputs through a bucket, under the keys
      .Ar prefix Ns Pa /ac/KEY
      and
      .Ar prefix Ns Pa /cas/SHA256 ;
      see REMOTE CACHE in
      .Xr imagemill-run 1 .
      Server, region, addressing and credentials are the same as for sources.
      .Fl \-remote-cache-header ,
      not
      .Fl H ,
      adds headers to its requests.
      Headers for encryption, such as
      .Ql x-amz-server-side-encryption: aws:kms ,
      are sent only with uploads; those with a customer key
      .Pq Ql x-amz-server-side-encryption-customer-*
      are sent with every request.
      .Fl \-allow-net , \-allow-host
      and
      .Fl \-deny-host
      don't apply to the remote cache.
      .Ss Limits
      Keys with control characters are not supported.

      """#
    + environmentAndFiles
      + #"""
      .Sh EXAMPLES
      Make thumbnails of all objects below a prefix:
      .Pp
      .Dl imagemill ls s3://photos/2026/ | imagemill pipe -f fill:200x200 -o 'thumbnails/{dir}/{name}.webp'
      .Pp
      Convert an object of a server on this machine:
      .Pp
      .Dl imagemill convert --s3-endpoint http://127.0.0.1:9000 --allow-net loopback s3://photos/a.jpg a.webp
      .Pp
      Upload thumbnails, which browsers may keep for a day:
      .Pp
      .Dl imagemill ls s3://photos/2026/ | imagemill pipe -f fill:200x200 -o 's3://photos/thumbnails/{dir}/{name}.webp' --s3-header 'Cache-Control: max-age=86400'
      .Pp
      Upload the outputs of a manifest:
      .Pp
      .Dl imagemill run -C s3://photos/site images.yaml
      .Pp
      Use objects in a manifest,
      .Pa objects.yaml :
      .Bd -literal -offset indent
      imagemill: 1
      jobs:
        - source: s3://photos/team/ada.jpg
          filter: fill:128x128
          output: ada.webp
      .Ed
      .Pp
      Run it with the credentials of a profile:
      .Pp
      .Dl AWS_PROFILE=work imagemill run objects.yaml
      .Pp
      Share what is rendered with other machines:
      .Pp
      .Dl imagemill run --remote-cache s3://ci-cache/images images.yaml
      .Sh SEE ALSO
      .Xr imagemill 1 ,
      .Xr imagemill-ls 1 ,
      .Xr imagemill-run 1 ,
      .Xr imagemill-manifest 5

      """#
}
