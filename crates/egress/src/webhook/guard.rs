//! Which addresses a receiver of webhooks may have: those of the internet and no others.
//!
//! The ranges are those of IANA's registries of special-purpose addresses (RFC 6890 and after). In
//! IPv6 only what has been given out as global unicast is let through; whatever carries an IPv4
//! address inside is judged by that one, or refused where the way there is somebody else's tunnel.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use domain::webhooks::Zone;

/// Address at which Azure answers its machines about themselves: an address like any other otherwise.
const AZURE: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

/// Networks of IPv4 that are not the internet: the network, its length in bits, and what it is.
const NETWORKS_4: &[(Ipv4Addr, u32, Zone)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8, Zone::Reserved),
    (Ipv4Addr::new(10, 0, 0, 0), 8, Zone::Private),
    (Ipv4Addr::new(100, 64, 0, 0), 10, Zone::Shared),
    (Ipv4Addr::new(127, 0, 0, 0), 8, Zone::Loopback),
    (AZURE, 32, Zone::Metadata),
    (Ipv4Addr::new(169, 254, 0, 0), 16, Zone::LinkLocal),
    (Ipv4Addr::new(172, 16, 0, 0), 12, Zone::Private),
    (Ipv4Addr::new(192, 0, 0, 0), 24, Zone::Reserved),
    (Ipv4Addr::new(192, 0, 2, 0), 24, Zone::Reserved),
    (Ipv4Addr::new(192, 88, 99, 0), 24, Zone::Tunnel),
    (Ipv4Addr::new(192, 168, 0, 0), 16, Zone::Private),
    (Ipv4Addr::new(198, 18, 0, 0), 15, Zone::Reserved),
    (Ipv4Addr::new(198, 51, 100, 0), 24, Zone::Reserved),
    (Ipv4Addr::new(203, 0, 113, 0), 24, Zone::Reserved),
    (Ipv4Addr::new(224, 0, 0, 0), 4, Zone::Multicast),
    (Ipv4Addr::new(240, 0, 0, 0), 4, Zone::Reserved),
];

/// Networks of IPv6 that are not the internet, the narrower before the wider.
const NETWORKS_6: &[(Ipv6Addr, u32, Zone)] = &[
    (Ipv6Addr::LOCALHOST, 128, Zone::Loopback),
    // NAT64 of some network's own (RFC 8215).
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, Zone::Private),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, Zone::Private),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, Zone::LinkLocal),
    // Site-local, long withdrawn and still routed here and there.
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, Zone::Private),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, Zone::Multicast),
    // Teredo, then all else that is set aside for protocols.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, Zone::Tunnel),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, Zone::Reserved),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, Zone::Reserved),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, Zone::Tunnel),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, Zone::Reserved),
];

/// Part of IPv6 that has been given out as global unicast.
const GLOBAL_6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// IPv6 addresses whose last 32 bits are the IPv4 address that is meant: mapped, and NAT64.
const CARRIERS: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96),
    (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96),
];

/// Tells where the address leads, if no receiver may be there; `None` for the internet.
pub(crate) fn forbidden(address: IpAddr) -> Option<Zone> {
    match address {
        IpAddr::V4(address) => forbidden_4(address),
        IpAddr::V6(address) => forbidden_6(address),
    }
}

/// The address of IPv4 that is meant by one of IPv6, if that is how it is made.
pub(super) fn carried(address: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(address) = address else { return None };
    let is_within = |(network, bits): &(Ipv6Addr, u32)| {
        (address.to_bits() ^ network.to_bits()).leading_zeros() >= *bits
    };
    let [.., a, b, c, d] = address.octets();
    CARRIERS.iter().any(is_within).then_some(Ipv4Addr::new(a, b, c, d))
}

fn forbidden_4(address: Ipv4Addr) -> Option<Zone> {
    let within = |network: Ipv4Addr, bits: u32| {
        (address.to_bits() ^ network.to_bits()).leading_zeros() >= bits
    };
    let found = NETWORKS_4.iter().find(|(network, bits, _)| within(*network, *bits));
    found.map(|(_, _, zone)| *zone)
}

fn forbidden_6(address: Ipv6Addr) -> Option<Zone> {
    let within = |network: Ipv6Addr, bits: u32| {
        (address.to_bits() ^ network.to_bits()).leading_zeros() >= bits
    };
    if let Some(inner) = carried(address.into()) {
        return forbidden_4(inner);
    }
    let found = NETWORKS_6.iter().find(|(network, bits, _)| within(*network, *bits));
    let (global, bits) = GLOBAL_6;
    found.map(|(_, _, zone)| *zone).or((!within(global, bits)).then_some(Zone::Reserved))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_internet_are_let_through() {
        let expected: &[(Option<Zone>, &str)] = &[
            (None, "8.8.8.8 1.1.1.1 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0"),
            (None, "169.253.255.255 169.255.0.0 192.167.255.255 192.169.0.0 223.255.255.255"),
            (None, "126.255.255.255 128.0.0.0 9.255.255.255 11.0.0.0 198.17.255.255 198.20.0.0"),
            (None, "168.63.129.15 192.0.1.0 192.88.98.255 192.88.100.0"),
            (Some(Zone::Loopback), "127.0.0.1 127.0.0.0 127.255.255.255 127.1.2.3"),
            (Some(Zone::Private), "10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255"),
            (Some(Zone::Private), "192.168.0.0 192.168.255.255"),
            (Some(Zone::LinkLocal), "169.254.169.254 169.254.0.0 169.254.255.255"),
            (Some(Zone::Metadata), "168.63.129.16"),
            (Some(Zone::Shared), "100.64.0.0 100.127.255.255 100.100.100.200"),
            (Some(Zone::Multicast), "224.0.0.1 239.255.255.255"),
            (Some(Zone::Tunnel), "192.88.99.1"),
            (Some(Zone::Reserved), "0.0.0.0 0.255.255.255 255.255.255.255 240.0.0.0 192.0.0.192"),
            (
                Some(Zone::Reserved),
                "192.0.2.1 198.51.100.1 203.0.113.255 198.18.0.0 198.19.255.255",
            ),
            (None, "2606:4700::1111 2a00:1450::1 2001:4860::8888 2400:: 3ffe::1 2001:200::"),
            (Some(Zone::Loopback), "::1"),
            (Some(Zone::Private), "fc00:: fd00:ec2::254 fdff:ffff::1 fec0::1 64:ff9b:1::1"),
            (Some(Zone::LinkLocal), "fe80:: fe80::1 febf:ffff::1"),
            (Some(Zone::Multicast), "ff02::1 ff0e::1"),
            (Some(Zone::Tunnel), "2001::1 2001:0:ffff::1 2002:: 2002:a00:1:: 2002:808:808::1"),
            (Some(Zone::Reserved), ":: ::2 ::7f00:1 ::8.8.8.8 100::1 2001:db8::1 2001:1::1"),
            (Some(Zone::Reserved), "2001:1ff::1 3fff::1 4000:: 5f00::1 ::ffff:0:127.0.0.1"),
            // Those that carry an address of IPv4.
            (None, "::ffff:8.8.8.8 64:ff9b::8.8.8.8"),
            (Some(Zone::Loopback), "::ffff:127.0.0.1 64:ff9b::7f00:1"),
            (Some(Zone::Private), "::ffff:10.0.0.1 64:ff9b::192.168.0.1"),
            (Some(Zone::LinkLocal), "::ffff:169.254.169.254 64:ff9b::a9fe:a9fe"),
            (Some(Zone::Shared), "::ffff:100.64.0.1"),
            (Some(Zone::Metadata), "::ffff:168.63.129.16"),
            (Some(Zone::Reserved), "::ffff:0.0.0.0"),
        ];
        for (zone, addresses) in expected {
            for address in addresses.split(' ') {
                assert_eq!(forbidden(address.parse().unwrap()), *zone, "{address}");
            }
        }
    }
}
