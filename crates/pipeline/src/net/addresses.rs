//! Which addresses belong to machines that anybody on the internet can reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is one of the open internet. No address of this machine, of its network, of a cloud's inside, and none
/// that is kept for examples, tests or groups is (IANA's registries of special addresses); neither is one that only wraps
/// such an address for the way through another network.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Blocks that are not of the open internet and have no name in the standard library: their first address, and how many bits
/// of it count.
const CLOSED_V4: [([u8; 4], u32); 6] = [
    // "This network", and nobody.
    ([0, 0, 0, 0], 8),
    // Behind a carrier's address translation.
    ([100, 64, 0, 0], 10),
    // Kept for protocols, and the old relay of 6to4.
    ([192, 0, 0, 0], 24),
    ([192, 88, 99, 0], 24),
    // For measurements.
    ([198, 18, 0, 0], 15),
    // What is kept for later, and everybody.
    ([240, 0, 0, 0], 4),
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = u32::from(address);
    let is_closed = CLOSED_V4.iter().any(|(first, counting)| {
        let mask = u32::MAX << (32 - counting);
        bits & mask == u32::from(Ipv4Addr::from(*first)) & mask
    });
    // A cloud tells its secrets on its cable, at 169.254.169.254.
    let is_near = address.is_private() || address.is_loopback() || address.is_link_local();
    !is_closed && !is_near && !address.is_documentation() && !address.is_multicast()
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(wrapped) = wrapped_v4(address) {
        return is_public_v4(wrapped);
    }
    let parts = address.segments();
    // Only these are given out; what is left out of them is kept for protocols (Teredo among them) and for examples.
    let is_given_out = parts[0] & 0xe000 == 0x2000;
    let is_for_protocols = parts[0] == 0x2001 && parts[1] < 0x0200;
    let is_for_examples =
        (parts[0] == 0x2001 && parts[1] == 0x0db8) || (parts[0] == 0x3fff && parts[1] < 0x1000);
    is_given_out && !is_for_protocols && !is_for_examples
}

/// The address of the older kind that an address stands for: mapped (`::ffff:a.b.c.d`), translated on the way (NAT64,
/// `64:ff9b::a.b.c.d`), or tunnelled to (6to4, `2002:…`).
fn wrapped_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let parts = address.segments();
    let of = |high: u16, low: u16| Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)));
    match parts {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x0064, 0xff9b, 0, 0, 0, 0, high, low] => of(high, low),
        [0x2002, high, low, ..] => of(high, low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_this_machine_and_its_networks_is_public_however_it_is_wrapped() {
        let closed = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.250",
            "240.0.0.1",
            "255.255.255.255",
        ];
        for text in closed {
            let address: Ipv4Addr = text.parse().unwrap();
            let [a, b, c, d] = address.octets().map(u16::from);
            let (high, low) = (a << 8 | b, c << 8 | d);
            let wrapped = [
                Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, high, low),
                Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
                Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
                Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low),
            ];
            assert!(!is_public(IpAddr::V4(address)), "{text}");
            for wrapped in wrapped {
                assert!(!is_public(IpAddr::V6(wrapped)), "{wrapped} is {text}");
            }
        }
        for text in [
            "::",
            "::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "fc00::1",
            "fd12:3456::1",
            "fd00:ec2::254",
            "ff02::1",
            "2001:db8::1",
            "3fff::1",
            "2001::1",
            "2001:20::1",
            "64:ff9b:1::a00:1",
            "100::1",
            "5f00::1",
            "4000::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn what_the_internet_is_made_of_is_public() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "128.0.0.1",
            "169.253.1.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "192.167.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450:4001::1",
            "2001:4860:4860::8888",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }
}
