//! Tells public addresses from all others: somebody's own network, this computer, or a cloud's inside.
//!
//! Source: the special-purpose address registries of IANA. What leads to another address (mapped, translated, tunnelled)
//! is refused whatever it leads to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// The first address, and how many bits of it count.
const SPECIAL_V4: &[([u8; 4], u32)] = &[
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    // Carriers' own; Alibaba's metadata are here.
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    // Azure's inside.
    ([168, 63, 129, 16], 32),
    // The metadata of most clouds are here.
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    // Many at once, reserved, and all.
    ([224, 0, 0, 0], 3),
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !SPECIAL_V4.iter().any(|(first, length)| (bits ^ Ipv4Addr::from(*first).to_bits()) >> (32 - length) == 0)
}

/// Special ranges within 2000::/3; everything outside of it is special altogether.
const SPECIAL_V6: &[(u128, u32)] = &[
    // Protocols, Teredo, benchmarks, ORCHID.
    (0x2001 << 112, 23),
    (0x2001_0db8 << 96, 32),
    // 6to4.
    (0x2002 << 112, 16),
    (0x3fff << 112, 20),
];

fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = address.to_bits();
    bits >> 125 == 1 && !SPECIAL_V6.iter().any(|(first, length)| (bits ^ first) >> (128 - length) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_everybodys_addresses_are_public() {
        for public in ["1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "192.169.0.1", "2606:4700::1111", "2a00::1"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for special in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.168.1.1",
            "198.19.0.1",
            "203.0.113.5",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
    }
}
