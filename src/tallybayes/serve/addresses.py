"""IP addresses, of clients and of this machine."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

Address = IPv4Address | IPv6Address


def ip_of(text: str) -> Address | None:
    """The address in a text, if it is one. One of IPv4 that is mapped to IPv6, as a socket for both shows it, is that
    of IPv4. The zone of one of IPv6 is ignored.

    >>> ip_of("::ffff:192.0.2.7"), ip_of("192.0.2.7%example.org")
    (IPv4Address('192.0.2.7'), None)
    """
    try:
        found = ip_address(text.partition("%")[0] if ":" in text else text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
