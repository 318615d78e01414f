//! A certificate authority of a test's own, a TLS server before a scripted one, and a proxy that says whom it was asked
//! for. All on loopback.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// What `SSL_CERT_FILE` names.
    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    /// Takes TLS connections with such a certificate, and hands what they say on to the server behind.
    pub(crate) fn serve(&self, certificate: &CertificateParams, behind: SocketAddr) -> SocketAddr {
        let key = KeyPair::generate().unwrap();
        let certificate = certificate.signed_by(&key, &self.0).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap());
        let config = Arc::new(config.unwrap());
        listen(move |stream| {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            hand_on(StreamOwned::new(connection, stream), behind)
        })
    }
}

pub(crate) struct Proxy {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    pub(crate) fn start() -> Self {
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let noted = Arc::clone(&asked);
        let address = listen(move |stream| tunnel(&stream, &noted));
        Self { address, asked }
    }

    /// One that speaks SOCKS 5, without a password.
    pub(crate) fn socks() -> Self {
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let noted = Arc::clone(&asked);
        let address = listen(move |stream| socks_tunnel(&stream, &noted));
        Self { address, asked }
    }

    /// One that answers every request for a tunnel so.
    pub(crate) fn refusing(answer: &'static str) -> Self {
        let address = listen(move |mut stream| {
            read_head(&mut BufReader::new(stream.try_clone()?))?;
            write!(stream, "HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n")
        });
        Self { address, asked: Arc::default() }
    }

    /// The address of one that was there.
    pub(crate) fn gone() -> SocketAddr {
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The `host:port` of each tunnel.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Each connection has a thread, until this process ends. One that breaks off is a part of some tests.
fn listen(serve: impl Fn(TcpStream) -> io::Result<()> + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = Arc::clone(&serve);
            thread::spawn(move || drop(serve(stream)));
        }
    });
    address
}

/// One request; the server behind ends the connection after its answer.
fn hand_on(mut from: StreamOwned<ServerConnection, TcpStream>, behind: SocketAddr) -> io::Result<()> {
    let mut reader = BufReader::new(&mut from);
    let head = read_head(&mut reader)?;
    let length = head.iter().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let mut server = TcpStream::connect(behind)?;
    server.write_all(&[head.concat().as_bytes(), &body].concat())?;
    io::copy(&mut server, &mut from)?;
    from.conn.send_close_notify();
    from.flush()
}

fn tunnel(client: &TcpStream, asked: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let head = read_head(&mut reader)?;
    let target = head[0].split_whitespace().nth(1).unwrap_or_default().to_owned();
    asked.lock().unwrap().push(target.clone());
    let server = TcpStream::connect(target)?;
    let mut answering = client;
    answering.write_all(b"HTTP/1.1 200 Connected\r\n\r\n")?;
    join(client, reader, &server)
}

fn socks_tunnel(client: &TcpStream, asked: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let mut answering = client;
    let mut read = |count: usize| {
        let mut bytes = vec![0; count];
        reader.read_exact(&mut bytes).map(|()| bytes)
    };
    let methods = read(2)?[1];
    read(methods.into())?;
    answering.write_all(&[5, 0])?;
    // An address of four bytes, then its port.
    assert_eq!(read(4)?, [5, 1, 0, 1]);
    let place = read(6)?;
    let target = SocketAddr::from(([place[0], place[1], place[2], place[3]], u16::from_be_bytes([place[4], place[5]])));
    asked.lock().unwrap().push(target.to_string());
    let server = TcpStream::connect(target)?;
    answering.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
    join(client, reader, &server)
}

fn join(client: &TcpStream, mut reader: BufReader<TcpStream>, mut server: &TcpStream) -> io::Result<()> {
    let mut answers = server.try_clone()?;
    let mut to_client = client.try_clone()?;
    thread::spawn(move || {
        let copied = io::copy(&mut answers, &mut to_client);
        drop(to_client.shutdown(Shutdown::Write));
        copied
    });
    io::copy(&mut reader, &mut server)?;
    server.shutdown(Shutdown::Write)
}

/// The lines up to the empty one, which is among them.
fn read_head(reader: &mut impl BufRead) -> io::Result<Vec<String>> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let last = line.trim().is_empty();
        head.push(line);
        if last {
            return Ok(head);
        }
    }
}
